local size <const> = 32
local old, new = {}, {}
for i = 0, size - 1 do
  old[i], new[i] = {}, {}
  for j = 0, size - 1 do
    old[i][j], new[i][j] = 0.0, 0.0
  end
end

local function step()
  for i = 1, size - 2 do
    for j = 1, size - 2 do
      new[i][j] = 0.25 * (old[i - 1][j] + old[i + 1][j] + old[i][j - 1] + old[i][j + 1])
    end
  end
  for i = 1, size - 2 do
    for j = 1, size - 2 do
      old[i][j] = new[i][j]
    end
  end
end

local n = tonumber(arg[1])
local start = os.clock()
for i = 0, size - 1 do
  old[0][i] = 1024.0
end
for _ = 1, n do
  step()
end
local seconds = os.clock() - start
print(n * 30 * 30, old[1][16] // 1 | 0, seconds)
