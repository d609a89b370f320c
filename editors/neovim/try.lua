-- Drives the language server from a real Neovim: `scripts/try-neovim` starts it in a folder with a program.

local function say(text)
  io.stdout:write(text .. "\n")
end

local function await(what, condition)
  local done = vim.wait(20000, condition, 20)
  say(what .. ": " .. tostring(done))
end

local function line(number)
  return vim.api.nvim_buf_get_lines(0, number - 1, number, false)[1]
end

local function type_line(number, text)
  vim.api.nvim_buf_set_lines(0, number - 1, number, false, { text })
end

local function ask(method, row, column)
  vim.api.nvim_win_set_cursor(0, { row, column })
  local all = vim.lsp.buf_request_sync(0, method, vim.lsp.util.make_position_params(0, "utf-16"), 10000)
  for _, answer in pairs(all or {}) do
    return answer.result
  end
end

vim.filetype.add({ extension = { csl = "csl" } })
vim.api.nvim_create_autocmd("FileType", {
  pattern = "csl",
  callback = function(event)
    local command = { os.getenv("CSLRUN") or "cslrun", "lsp" }
    local client = vim.lsp.start_client({ name = "cslrun", cmd = command, root_dir = vim.fn.getcwd() })
    vim.lsp.buf_attach_client(event.buf, client)
  end,
})
vim.cmd("edit pe.csl")
vim.bo.filetype = "csl"
await("attached", function()
  local client = vim.lsp.get_active_clients()[1]
  return client ~= nil and client.initialized == true
end)
type_line(4, "  data[9] = 1.0;")
await("diagnostic", function()
  return #vim.diagnostic.get(0) > 0
end)
say(vim.split(vim.diagnostic.get(0)[1].message, "\n")[1])
type_line(4, "  data[1] = 1.0;")
await("no diagnostic", function()
  return #vim.diagnostic.get(0) == 0
end)
say("hover: " .. ask("textDocument/hover", 2, 5).contents.value:gsub("\n", " "))
say("definition: line " .. ask("textDocument/definition", 4, 3)[1].range.start.line + 1)
say("completion: " .. tostring(#ask("textDocument/completion", 4, 3) > 50))
vim.api.nvim_win_set_cursor(0, { 2, 5 })
vim.lsp.buf.rename("values")
await("renamed", function()
  return line(4) == "  values[1] = 1.0;"
end)
type_line(4, "  values[1]   =  1.0;")
if vim.lsp.buf.format then
  vim.lsp.buf.format()
else
  vim.lsp.buf.formatting_sync()
end
say("formatted: " .. line(4))
vim.cmd("qa!")
