local size <const> = 1024
local numbers, comparisons = {}, 0

local function sort(low, high)
  if low >= high then
    return
  end
  local pivot = numbers[low + (high - low) // 2]
  local i, j = low, high
  while i <= j do
    while numbers[i] < pivot do
      i = i + 1
      comparisons = comparisons + 1
    end
    while numbers[j] > pivot do
      j = j - 1
      comparisons = comparisons + 1
    end
    if i <= j then
      numbers[i], numbers[j] = numbers[j], numbers[i]
      i = i + 1
      j = j - 1
    end
    comparisons = comparisons + 2
  end
  sort(low, j)
  sort(i, high)
end

local n = tonumber(arg[1])
local start = os.clock()
local seed = 1
for _ = 1, n do
  for i = 0, size - 1 do
    seed = (seed * 1664525 + 1013904223) & 0xffffffff
    numbers[i] = seed >> 17
  end
  sort(0, size - 1)
end
local seconds = os.clock() - start
local sum = 0
for i = 0, size - 1 do
  sum = (sum + numbers[i] * i) & 0xffffffff
end
print(comparisons, sum, seconds)
