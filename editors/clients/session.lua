-- Curates a feature of the sample project with the client that is built into Neovim.
--
--     LACUNA=BINARY PROJECT=FOLDER nvim --headless -u NONE -i NONE -S session.lua
--
-- Ends with 0 if every answer is as it should be.

local project = os.getenv("PROJECT")
local file = project .. "/src/ladle/shopping.py"
local test = project .. "/tests/test_shopping.py"
local target = "tests/test_shopping.py"

local function fail(message)
  io.stderr:write("neovim: " .. message .. "\n")
  vim.cmd("cquit 1")
end

local function check(truth, message)
  if not truth then
    fail(message)
  end
end

local active
vim.lsp.handlers["lacuna/featureChanged"] = function(_, params)
  active = params.target[1]
end
local progress = {}
vim.lsp.handlers["$/progress"] = function(_, params)
  table.insert(progress, params.value.kind)
end

vim.cmd("edit " .. file)
local client = vim.lsp.start_client({
  name = "lacuna",
  cmd = { os.getenv("LACUNA"), "lsp" },
  root_dir = project,
})
check(client, "the server does not start")
local buffer = vim.api.nvim_get_current_buf()
vim.lsp.buf_attach_client(buffer, client)
local server
local started = vim.wait(60000, function()
  server = vim.lsp.get_client_by_id(client)
  return server and server.initialized
end, 50)
check(started, "the server does not answer the start of the session")

-- The result of a request; asked again until `is_there` (files are read, and runs, in the background).
local function ask(method, params, is_there)
  local result
  local answered = vim.wait(60000, function()
    local answer = server.request_sync(method, params, 60000, buffer) or {}
    check(not (answer.error or answer.err), method .. ": " .. vim.inspect(answer))
    result = answer.result
    return not is_there or is_there(result)
  end, 50)
  check(answered, method .. " has no answer: " .. vim.inspect(result))
  return result
end

local function document(path)
  return { textDocument = { uri = vim.uri_from_fname(path or file) } }
end

local function filled(result)
  return type(result) == "table" and #result > 0
end

-- The place of the first line that matches, at the end of the match.
local function place(pattern)
  for number, text in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
    local _, finish = text:find(pattern)
    if finish then
      local params = document()
      params.position = { line = number - 1, character = finish }
      params.context = { includeDeclaration = true, diagnostics = {} }
      params.range = { start = params.position, ["end"] = params.position }
      return params
    end
  end
  fail("no line is like " .. pattern)
end

local symbols = ask("textDocument/documentSymbol", document(), filled)
check(symbols[1].name, "a symbol has no name")
check(filled(ask("textDocument/definition", place("^def aisle_o"), filled)), "no definition")
check(#ask("textDocument/references", place("^def aisle_o"), filled) > 1, "no references")
local items = ask("textDocument/prepareCallHierarchy", place("^def aisle_o"), filled)
check(filled(ask("callHierarchy/incomingCalls", { item = items[1] }, filled)), "no calls")

local lenses = ask("textDocument/codeLens", document(test), filled)
check(lenses[1].range, "a lens has no place")
ask("workspace/executeCommand", { command = "lacuna.setTarget", arguments = { target } })
check(vim.wait(60000, function() return active == target end, 50), "no feature is active")
local hover = ask("textDocument/hover", place("^class ShoppingLis"), function(result)
  return result and result.contents.value:find("%*%*top%*%*")
end)
check(hover.contents.value:find("class ShoppingList"), "the hover has no signature")
local actions = ask("textDocument/codeAction", place("^class ShoppingLis"), filled)
check(actions[1].edit.documentChanges, "an action has no edit")
local traced = ask("workspace/executeCommand", { command = "lacuna.trace" })
check(traced.tests > 100, "the trace has no tests")
check(vim.tbl_contains(progress, "begin") and vim.tbl_contains(progress, "end"), "no progress was shown")
print("neovim: a feature was curated\n")
vim.lsp.stop_client(client)
vim.cmd("qall!")
