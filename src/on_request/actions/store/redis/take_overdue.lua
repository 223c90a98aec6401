-- Takes the notes of what was started and has not been completed in time. The entries themselves
-- read as unknown by their time.
-- KEYS: overdue times, notes
-- ARGV: how many at most
local time = redis.call('TIME')
local now = string.format('%.0f', tonumber(time[1]) * 1000000 + tonumber(time[2]))

local names = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[1])
local notes = {}
for _, name in ipairs(names) do
  notes[#notes + 1] = redis.call('HGET', KEYS[2], name) or ''
  redis.call('ZREM', KEYS[1], name)
  redis.call('HDEL', KEYS[2], name)
end
for number = 1, 2 do
  if redis.call('PTTL', KEYS[number]) == -1 then redis.call('PEXPIRE', KEYS[number], 30 * 86400000) end
end
return notes
