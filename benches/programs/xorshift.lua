local state = 1

local function next()
  local x = state
  x = x ~ x << 7 & 0xffff
  x = x ~ x >> 9
  x = x ~ x << 8 & 0xffff
  state = x
  return x
end

local n = tonumber(arg[1])
local start = os.clock()
local sum = 0
for _ = 1, n do
  sum = sum + (next() & 0xff)
end
local seconds = os.clock() - start
print(n, sum & 0xffffffff, seconds)
