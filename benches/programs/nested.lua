local n = tonumber(arg[1])
local start = os.clock()
local sum = 0
for i = 0, n - 1 do
  for j = 0, n - 1 do
    sum = (sum + (i ~ j)) & 0xffffffff
  end
end
local seconds = os.clock() - start
print(n * n, sum, seconds)
