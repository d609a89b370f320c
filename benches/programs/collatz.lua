local function steps(start)
  local x, count = start, 0
  while x ~= 1 do
    if x % 2 == 0 then
      x = x // 2
    else
      x = 3 * x + 1
    end
    count = count + 1
  end
  return count
end

local n = tonumber(arg[1])
local start = os.clock()
local iterations, longest, result = 0, 0, 0
for k = 1, n do
  local count = steps(k)
  iterations = iterations + count
  if count > longest then
    longest, result = count, k
  end
end
local seconds = os.clock() - start
print(iterations, result, seconds)
