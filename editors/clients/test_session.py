"""Curates a feature of the sample project with a client of the Python world (pytest-lsp).

LACUNA names the program and PROJECT the folder; `check.py` sets both.
"""

import asyncio
import os
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient

PROJECT = Path(os.environ["PROJECT"])
TARGET = "tests/test_shopping.py"
FILE = PROJECT / "src/ladle/shopping.py"


def document(path):
    return types.TextDocumentIdentifier(uri=path.as_uri())


@pytest_lsp.fixture(config=ClientServerConfig(server_command=[os.environ["LACUNA"], "lsp"]))
async def client(lsp_client: LanguageClient):
    folder = types.WorkspaceFolder(uri=PROJECT.as_uri(), name="sample")
    await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=types.ClientCapabilities(),
            workspace_folders=[folder],
        )
    )
    yield
    await lsp_client.shutdown_session()


async def until(ask):
    """What `ask` gives, once it gives something: files and runs are read in the background."""
    for _ in range(600):
        found = await ask()
        if found:
            return found
        await asyncio.sleep(0.1)
    raise AssertionError("there is no answer")


@pytest.mark.asyncio
async def test_symbols_are_found(client: LanguageClient):
    params = types.DocumentSymbolParams(text_document=document(FILE))
    symbols = await until(lambda: client.text_document_document_symbol_async(params))
    assert "ShoppingList" in [symbol.name for symbol in symbols]
    query = types.WorkspaceSymbolParams(query="shoppinglist")
    found = await until(lambda: client.workspace_symbol_async(query))
    assert found[0].name == "ShoppingList"


@pytest.mark.asyncio
async def test_a_definition_has_references(client: LanguageClient):
    line = FILE.read_text().splitlines().index("class ShoppingList:")
    params = types.ReferenceParams(
        text_document=document(FILE),
        position=types.Position(line=line, character=8),
        context=types.ReferenceContext(include_declaration=True),
    )
    places = await until(lambda: client.text_document_references_async(params))
    assert len(places) > 1


@pytest.mark.asyncio
async def test_a_feature_is_made_the_active_one(client: LanguageClient):
    lens = types.CodeLensParams(text_document=document(PROJECT / TARGET))

    async def feature():
        lenses = await client.text_document_code_lens_async(lens) or []
        titles = [it.command.title for it in lenses if it.command]
        return [title for title in titles if title.startswith("feature")]

    await until(feature)
    command = types.ExecuteCommandParams(command="lacuna.setTarget", arguments=[TARGET])
    await client.workspace_execute_command_async(command)
    params = types.CodeLensParams(text_document=document(FILE))

    async def top():
        lenses = await client.text_document_code_lens_async(params) or []
        return [it for it in lenses if it.command and it.command.title.startswith("top")]

    assert await until(top)
