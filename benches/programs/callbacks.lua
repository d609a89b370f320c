local size <const> = 256
local numbers = {}

local function add(x, y)
  return x + y & 0xffffffff
end

local function mix(x, y)
  return (x << 1 ~ y) & 0xffffffff
end

local function larger(x, y)
  return x > y and x or y
end

local function reduce(f, start)
  local value = start
  for i = 0, size - 1 do
    value = f(value, numbers[i])
  end
  return value
end

local n = tonumber(arg[1])
local start = os.clock()
for i = 0, size - 1 do
  numbers[i] = i * 2654435
end
local sum = 0
for _ = 1, n do
  sum = reduce(add, sum)
  sum = reduce(mix, sum)
  sum = reduce(larger, sum & 0xffff)
end
local seconds = os.clock() - start
print(n * 3 * size, sum, seconds)
