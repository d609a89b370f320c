-- The tree-sitter grammar in a real Neovim: `scripts/try-neovim` starts it with the parser and the queries in its
-- runtime path.

local function say(text)
  io.stdout:write(text .. "\n")
end

local query = vim.treesitter.query
local get_query = query.get or query.get_query

vim.cmd("edit pe.csl")
vim.bo.filetype = "csl"
local parser = vim.treesitter.get_parser(0, "csl")
local root = parser:parse()[1]:root()
say("tree: " .. root:type() .. ", mistakes: " .. tostring(root:has_error()))

-- Colors: what highlights.scm says last of the words of two lines.
if vim.treesitter.start then
  vim.treesitter.start(0, "csl")
else
  vim.treesitter.highlighter.new(parser)
end
local highlights = get_query("csl", "highlights")
local colors = {}
for id, node in highlights:iter_captures(root, 0, 0, 4) do
  local row, from, _, to = node:range()
  local word = vim.api.nvim_buf_get_lines(0, row, row + 1, false)[1]:sub(from + 1, to)
  if word:match("^@?%w+$") then
    colors[row * 1000 + from] = word .. "=" .. highlights.captures[id]
  end
end
local places = vim.tbl_keys(colors)
table.sort(places)
local shown = vim.tbl_map(function(place)
  return colors[place]
end, places)
say("colors: " .. table.concat(shown, " "))
say("active: " .. tostring(vim.treesitter.highlighter.active[vim.api.nvim_get_current_buf()] ~= nil))

-- Folds: with the expression of newer versions, or by hand.
if vim.treesitter.foldexpr then
  vim.wo.foldmethod = "expr"
  vim.wo.foldexpr = "v:lua.vim.treesitter.foldexpr()"
else
  for _, node in get_query("csl", "folds"):iter_captures(root, 0, 0, -1) do
    local first, _, last = node:range()
    if last > first then
      vim.cmd(string.format("%d,%dfold", first + 1, last + 1))
    end
  end
end
vim.cmd("normal! zM")
for row = 1, vim.fn.line("$") do
  if vim.fn.foldclosed(row) == row then
    say("fold: " .. row .. " to " .. vim.fn.foldclosedend(row))
  end
end

-- A mistake stays where it is.
vim.api.nvim_buf_set_lines(0, 3, 4, false, { "  data[1] = ;" })
root = parser:parse()[1]:root()
say("mistakes: " .. tostring(root:has_error()) .. ", declarations: " .. root:named_child_count())
vim.cmd("qa!")
