local limit = 16384

local function sieve()
  local composite, visits, primes = {}, 0, 0
  for i = 0, limit - 1 do
    composite[i] = false
  end
  for i = 2, limit - 1 do
    visits = visits + 1
    if not composite[i] then
      primes = primes + 1
      for j = i + i, limit - 1, i do
        composite[j] = true
        visits = visits + 1
      end
    end
  end
  return visits, primes
end

local n = tonumber(arg[1])
local start = os.clock()
local visits, result = 0, 0
for _ = 1, n do
  local more, primes = sieve()
  visits, result = visits + more, primes
end
local seconds = os.clock() - start
print(visits, result, seconds)
