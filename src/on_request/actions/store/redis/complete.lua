-- Records that what was started is done.
-- KEYS: entry, overdue times, notes
-- ARGV: token, name of the action, reply
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local function whole(number) return string.format('%.0f', number) end

local entry = redis.call('HMGET', KEYS[1], 'token', 'state', 'until', 'remembered')
local state, ends, remembered = entry[2], tonumber(entry[3] or ''), tonumber(entry[4] or '')
if entry[1] ~= ARGV[1] or not ends or not remembered then return 0 end
if state == 'started' and ends <= now then state, ends = 'unknown', ends + remembered end
if ends <= now or state == 'claimed' then return 0 end
if state == 'done' then return 1 end
redis.call('HSET', KEYS[1], 'state', 'done', 'until', whole(now + remembered), 'reply', ARGV[3])
redis.call('PEXPIRE', KEYS[1], whole(math.ceil(remembered / 1000) + 1))
redis.call('ZREM', KEYS[2], ARGV[2])
redis.call('HDEL', KEYS[3], ARGV[2])
return 1
