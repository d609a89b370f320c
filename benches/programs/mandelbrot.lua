local function escape(cx, cy)
  local x, y, steps = 0.0, 0.0, 0
  while steps < 50 and x * x + y * y < 4.0 do
    x, y = x * x - y * y + cx, 2.0 * x * y + cy
    steps = steps + 1
  end
  return steps
end

local n = tonumber(arg[1])
local start = os.clock()
local step, sum = 3.0 / n, 0
for i = 0, n - 1 do
  for j = 0, n - 1 do
    sum = sum + escape(i * step - 2.0, j * step - 1.5)
  end
end
local seconds = os.clock() - start
-- Steps near the edge depend on the width of the floats, so the sum is no result to compare.
print(sum, n, seconds)
