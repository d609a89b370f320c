local coefficients = { 1.0, -2.0, 1.0, 3.0 }

local function horner(x)
  local value = 0.0
  for i = 1, #coefficients do
    value = value * x + coefficients[i]
  end
  return value
end

local n = tonumber(arg[1])
local start = os.clock()
local sum = 0
for _ = 1, n do
  local x = 0.0
  while x < 4.0 do
    if horner(x) > 4.0 then
      sum = sum + 1
    end
    x = x + 0.25
  end
end
local seconds = os.clock() - start
print(n * 64, sum, seconds)
