local iterations = 0

local function gcd(a, b)
  while b ~= 0 do
    a, b = b, a % b
    iterations = iterations + 1
  end
  return a
end

local n = tonumber(arg[1])
local start = os.clock()
local sum = 0
for i = 1, n do
  for j = 1, n do
    sum = sum + gcd(i, j)
  end
end
local seconds = os.clock() - start
print(iterations, sum & 0xffffffff, seconds)
