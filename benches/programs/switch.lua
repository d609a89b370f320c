local function execute(steps)
  local a, b = 1, 2
  for k = 0, steps - 1 do
    local code = (a ~ k) & 7
    if code == 0 then
      a = a + b & 0xffffffff
    elseif code == 1 then
      a = a ~ k
    elseif code == 2 then
      b = b + 3 & 0xffffffff
    elseif code == 3 then
      a = (a << 1 | 1) & 0xffffffff
    elseif code == 4 then
      b = b ~ a
    elseif code == 5 then
      a = a - k & 0xffffffff
    elseif code == 6 then
      b = b >> 1
    else
      a = a + 7 & 0xffffffff
    end
  end
  return a ~ b
end

local n = tonumber(arg[1])
local start = os.clock()
local result = execute(n)
local seconds = os.clock() - start
print(n, result, seconds)
