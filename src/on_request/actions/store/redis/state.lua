-- How far an action is.
-- KEYS: entry
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])

local entry = redis.call('HMGET', KEYS[1], 'state', 'until', 'remembered', 'reply')
local state, ends, remembered = entry[1], tonumber(entry[2] or ''), tonumber(entry[3] or '')
if not state or not ends or not remembered then return { '', '' } end
if state == 'started' and ends <= now then state, ends = 'unknown', ends + remembered end
if ends <= now then return { '', '' } end
return { state, entry[4] or '' }
