local calls = 0

local function fib(k)
  calls = calls + 1
  if k < 2 then
    return k
  end
  return fib(k - 1) + fib(k - 2)
end

local n = tonumber(arg[1])
local start = os.clock()
local result = fib(n)
local seconds = os.clock() - start
print(calls, result, seconds)
