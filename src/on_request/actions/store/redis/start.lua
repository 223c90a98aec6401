-- Starts what was claimed.
-- KEYS: entry, overdue times, notes
-- ARGV: token, name of the action, time allowed in microseconds
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local function whole(number) return string.format('%.0f', number) end
local function millis(micros) return whole(math.ceil(micros / 1000)) end

local entry = redis.call('HMGET', KEYS[1], 'token', 'state', 'until', 'remembered', 'note')
local ends, remembered = tonumber(entry[3] or ''), tonumber(entry[4] or '')
if entry[1] ~= ARGV[1] or entry[2] ~= 'claimed' or not ends or not remembered or ends <= now then return 0 end
local deadline = now + tonumber(ARGV[3])
redis.call('HSET', KEYS[1], 'state', 'started', 'until', whole(deadline))
redis.call('PEXPIRE', KEYS[1], millis(deadline - now + remembered + 1000))
redis.call('ZADD', KEYS[2], whole(deadline), ARGV[2])
redis.call('HSET', KEYS[3], ARGV[2], entry[5] or '')
-- What nobody has been told outlives the entry by a month.
local lasts = math.ceil((deadline - now + remembered) / 1000) + 30 * 86400000
for number = 2, 3 do
  if redis.call('PTTL', KEYS[number]) < lasts then redis.call('PEXPIRE', KEYS[number], whole(lasts)) end
end
return 1
