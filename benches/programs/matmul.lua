local size <const> = 32
local a, b, c = {}, {}, {}

local function multiply()
  for i = 0, size - 1 do
    for j = 0, size - 1 do
      local sum = 0.0
      for k = 0, size - 1 do
        sum = sum + a[i * size + k] * b[k * size + j]
      end
      c[i * size + j] = sum
    end
  end
end

local n = tonumber(arg[1])
local start = os.clock()
for k = 0, size * size - 1 do
  a[k], b[k] = k % 7 + 0.0, k % 5 + 0.0
end
for _ = 1, n do
  multiply()
end
local sum = 0.0
for k = 0, size * size - 1 do
  sum = sum + c[k]
end
local seconds = os.clock() - start
print(n * size * size * size, math.tointeger(sum), seconds)
