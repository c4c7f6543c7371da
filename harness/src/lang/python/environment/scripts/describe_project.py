"""Prints what setup.py, setup.cfg, tox.ini and noxfile.py say, as JSON, without running any of them.

Usage: describe_project.py ROOT. Works with Python 3.6 and later, standard library only.
"""

import ast
import configparser
import json
import os
import sys


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def parse(path):
    try:
        return ast.parse(read(path))
    except (SyntaxError, ValueError):
        return ast.parse("")


def constants(tree):
    """Module-level names bound to literals."""
    known = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            value = literal(node.value, known)
            if value is not None:
                known[node.targets[0].id] = value
    return known


def literal(node, known):
    """The value of a literal made of texts, lists, dicts, names of such, and sums; None if it is none."""
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        parts = literal(node.left, known), literal(node.right, known)
        same = type(parts[0]) is type(parts[1]) and isinstance(parts[0], (str, list))
        return parts[0] + parts[1] if same else None
    if isinstance(node, (ast.List, ast.Tuple)):
        values = [literal(value, known) for value in node.elts]
        return [value for value in values if value is not None]
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None


def setup_arguments(root):
    tree = parse(os.path.join(root, "setup.py"))
    known = constants(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and name_of(node.func).split(".")[-1] == "setup":
            found = {word.arg: literal(word.value, known) for word in node.keywords if word.arg}
            return {word: value for word, value in found.items() if value is not None}
    return {}


def name_of(node):
    if isinstance(node, ast.Attribute):
        return name_of(node.value) + "." + node.attr
    return node.id if isinstance(node, ast.Name) else ""


def ini(root, name):
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(read(os.path.join(root, name)).decode("utf-8", "replace"))
    except configparser.Error:
        pass
    return parser


def lines(text):
    if isinstance(text, str):
        text = text.splitlines()
    texts = [line for line in text or [] if isinstance(line, str)]
    return [line.strip() for line in texts if line.strip() and not line.strip().startswith("#")]


def get(parser, section, option):
    return parser.get(section, option) if parser.has_option(section, option) else ""


def environments(parser, prefix):
    """What the default and the test environments of tox install."""
    found = []
    for section in parser.sections():
        name = section[len(prefix):] if section.startswith(prefix) else None
        if name == "testenv" or name is not None and name.startswith("testenv:") and is_test_name(name[8:]):
            found.append({
                "name": name,
                "requirements": lines(get(parser, section, "deps")),
                "extras": lines(get(parser, section, "extras").replace(",", "\n")),
                "groups": lines(get(parser, section, "dependency_groups").replace(",", "\n")),
            })
    return found


def is_test_name(name):
    words = name.replace("_", "-").replace("{", "-").replace("}", "-").replace(",", "-").split("-")
    return any(word in ("test", "tests", "unit", "unittest", "unittests", "py", "py3") for word in words)


def sessions(root):
    """What the test sessions of nox install."""
    tree = parse(os.path.join(root, "noxfile.py"))
    known = constants(tree)
    found = []
    for function in tree.body:
        if isinstance(function, ast.FunctionDef) and is_test_name(function.name) and is_session(function):
            words = [word for call in ast.walk(function) for word in installed(call, known)]
            found.append({"name": function.name, "requirements": words, "extras": [], "groups": []})
    return found


def is_session(function):
    decorators = [getattr(node, "func", node) for node in function.decorator_list]
    return any(name_of(node).split(".")[-1] == "session" for node in decorators)


def installed(node, known):
    """The arguments of `session.install(...)`, an option joined with its value."""
    if not isinstance(node, ast.Call) or name_of(node.func).split(".")[-1] != "install":
        return []
    words = []
    for argument in node.args:
        value = literal(argument.value if isinstance(argument, ast.Starred) else argument, known)
        words.extend(value if isinstance(value, list) else [value])
    words = [word for word in words if isinstance(word, str)]
    joined = []
    while words:
        word = words.pop(0)
        takes_value = word in ("-r", "-c", "-e", "--requirement", "--constraint", "--editable")
        joined.append(word + " " + words.pop(0) if takes_value and words else word)
    return joined


def main(root):
    call = setup_arguments(root)
    config = ini(root, "setup.cfg")
    text = lambda value: value if isinstance(value, str) else ""
    print(json.dumps({
        "name": text(call.get("name")) or get(config, "metadata", "name"),
        "requires_python": text(call.get("python_requires")) or get(config, "options", "python_requires"),
        "classifiers": lines(call.get("classifiers")) + lines(get(config, "metadata", "classifiers")),
        "requirements": lines(call.get("install_requires")) + lines(get(config, "options", "install_requires")),
        "test_requirements": lines(call.get("tests_require")) + lines(get(config, "options", "tests_require")),
        "tox": environments(ini(root, "tox.ini"), "") + environments(config, "tox:"),
        "nox": sessions(root),
    }))


if __name__ == "__main__":
    main(sys.argv[1])
