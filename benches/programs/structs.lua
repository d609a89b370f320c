local count <const> = 64
local particles = {}

local function move(p)
  p.x = p.x + p.vx
  p.y = p.y + p.vy
  if p.x < 0 or p.x > 1000 then
    p.vx = -p.vx
  end
  if p.y < 0 or p.y > 1000 then
    p.vy = -p.vy
  end
end

local n = tonumber(arg[1])
local start = os.clock()
for i = 0, count - 1 do
  particles[i] = { x = 10 * i, y = 1000 - 10 * i, vx = 1 + i % 5, vy = 2 + i % 7 }
end
for _ = 1, n do
  for i = 0, count - 1 do
    move(particles[i])
  end
end
local seconds = os.clock() - start
local sum = 0
for i = 0, count - 1 do
  sum = sum + (particles[i].x + 100) * (particles[i].y + 100)
end
print(n * count, sum & 0xffffffff, seconds)
