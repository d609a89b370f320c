local size <const> = 1024
local first, second = {}, {}

local function add(to, from, count)
  for i = 0, count - 1 do
    to[i] = to[i] + from[i]
  end
end

local function dot(x, y, count)
  local sum = 0
  for i = 0, count - 1 do
    sum = sum + x[i] * y[i]
  end
  return sum
end

local function change(sum, by)
  sum.value = sum.value + by
end

local n = tonumber(arg[1])
local start = os.clock()
for i = 0, size - 1 do
  first[i], second[i] = 0, i % 3 - 1
end
local sum = { value = 0 }
for _ = 1, n do
  add(first, second, size)
  change(sum, dot(first, second, size) & 0xff)
end
local seconds = os.clock() - start
print(n * 2 * size, sum.value & 0xffffffff, seconds)
