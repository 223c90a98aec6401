-- Gives up: frees what is only claimed, and makes what is started unknown.
-- KEYS: entry, overdue times, notes, tombstone of the token
-- ARGV: token, name of the action
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local function whole(number) return string.format('%.0f', number) end
-- An hour is more than any lease.
local function bury() redis.call('SET', KEYS[4], '', 'PX', 3600000) end

local entry = redis.call('HMGET', KEYS[1], 'token', 'state', 'until', 'remembered')
local state, ends, remembered = entry[2], tonumber(entry[3] or ''), tonumber(entry[4] or '')
local is_live = ends and remembered and (ends > now or (state == 'started' and ends + remembered > now))
if not is_live then
  bury()
  return 'freed'
end
if entry[1] ~= ARGV[1] then
  -- The claim may be on its way still, and find this entry gone.
  bury()
  return 'settled'
end
if state == 'claimed' then
  redis.call('DEL', KEYS[1])
  bury()
  return 'freed'
end
if state ~= 'started' then return 'settled' end
redis.call('HSET', KEYS[1], 'state', 'unknown', 'until', whole(now + remembered))
redis.call('PEXPIRE', KEYS[1], whole(math.ceil(remembered / 1000) + 1))
-- Whoever took the note has told it.
local untold = redis.call('ZREM', KEYS[2], ARGV[2])
redis.call('HDEL', KEYS[3], ARGV[2])
return untold == 1 and 'unknown' or 'settled'
