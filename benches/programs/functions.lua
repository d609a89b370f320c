local sin, exp, sqrt, abs, log, max = math.sin, math.exp, math.sqrt, math.abs, math.log, math.max

local n = tonumber(arg[1])
local start = os.clock()
local inside = 0
for k = 0, n - 1 do
  local x = (k & 1023) * 0.01 + 0.005
  local y = sin(x) * exp(-x)
  if sqrt(abs(y)) < 0.25 then
    inside = inside + 1
  end
  if log(x) > max(y, 1.0) then
    inside = inside + 1
  end
end
local seconds = os.clock() - start
print(n, inside, seconds)
