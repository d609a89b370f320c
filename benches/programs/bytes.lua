local size <const> = 4096
local bytes, counts = {}, {}

local function checksum()
  local low, high = 1, 0
  for i = 0, size - 1 do
    low = low + bytes[i]
    if low >= 65521 then
      low = low - 65521
    end
    high = high + low
    if high >= 65521 then
      high = high - 65521
    end
  end
  return high << 16 | low
end

local n = tonumber(arg[1])
local start = os.clock()
local result
for _ = 1, n do
  for i = 0, size - 1 do
    bytes[i] = i * 7 + (i >> 3) & 0xff
  end
  for i = 0, 255 do
    counts[i] = 0
  end
  for i = 0, size - 1 do
    local byte = bytes[i]
    counts[byte] = counts[byte] + 1
  end
  result = checksum() + counts[16] & 0xffffffff
end
local seconds = os.clock() - start
print(n * size, result, seconds)
