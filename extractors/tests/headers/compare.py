"""Compares two folders of files: every definition must have the same header and documentation."""

import ast, pathlib, sys

def definitions(node, chain):
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            name = chain + (child.name,)
            yield name, header(child)
            yield from definitions(child, name)
        else:
            yield from definitions(child, chain)

def header(node):
    parts = [type(node).__name__, ast.get_docstring(node, clean=False)]
    for field in ("args", "returns", "bases", "keywords", "decorator_list", "type_params", "type_comment"):
        value = getattr(node, field, None)
        values = value if isinstance(value, list) else [value]
        parts.append([ast.dump(value) if isinstance(value, ast.AST) else value for value in values])
    return parts

original, emitted = map(pathlib.Path, sys.argv[1:])
count = 0
for path in sorted(emitted.rglob("*.py")):
    name = path.relative_to(emitted)
    read = lambda root: list(definitions(ast.parse((root / name).read_bytes()), ()))
    expected, found = read(original), read(path.parents[len(name.parts) - 1])
    for a, b in zip(expected, found):
        if a != b:
            sys.exit(f"{name}: {a}\nis shown as {b}")
    if len(expected) != len(found):
        sys.exit(f"{name}: {len(expected)} definitions, {len(found)} shown")
    count += len(found)
print(count)
