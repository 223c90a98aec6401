-- Claims an action, where nobody has and both limits allow it.
-- KEYS: entry, tombstone of the token, limit of the assistant, limit in total, generation
-- ARGV: token, digest, lease, remembered, note, spacing and tolerance of the assistant's limit,
--       spacing and tolerance of that in total, seen generation, when that began,
--       whether an empty store is a new one, a new generation, for how long it refers once emptied
-- All times are whole microseconds.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local function whole(number) return string.format('%.0f', number) end
local function millis(micros) return whole(math.ceil(micros / 1000)) end
local YEAR = 365 * 86400 * 1000000

-- The generation: a store that was emptied, or went back in time, refers until all that it may have
-- forgotten would have been forgotten anyway.
local seen, seen_began = ARGV[10], tonumber(ARGV[11])
local kept = redis.call('HMGET', KEYS[5], 'id', 'began', 'kind')
local id, began, kind = kept[1], tonumber(kept[2] or ''), kept[3]
if not id or not began or not kind or (seen ~= '' and seen ~= id and began < seen_began) then
  id, began = ARGV[13], now
  kind = (seen == '' and not kept[1] and ARGV[12] == '1') and 'new' or 'emptied'
  redis.call('HSET', KEYS[5], 'id', id, 'began', whole(began), 'kind', kind)
elseif seen ~= '' and seen ~= id and kind == 'new' then
  -- Somebody took it for a new store, and it is not.
  kind = 'emptied'
  redis.call('HSET', KEYS[5], 'kind', kind)
end
local refers = tonumber(ARGV[14])
local left = redis.call('PTTL', KEYS[5])
if left < YEAR / 2000 then redis.call('PEXPIRE', KEYS[5], millis(YEAR + refers)) end

local function answer(outcome, digest, state, reply)
  return { id, whole(began), outcome, digest or '', state or '', reply or '' }
end

local entry = redis.call('HMGET', KEYS[1], 'token', 'digest', 'state', 'until', 'remembered', 'reply')
if redis.call('EXISTS', KEYS[1]) == 1 then
  local state, ends, remembered = entry[3], tonumber(entry[4] or ''), tonumber(entry[5] or '')
  if not state or not entry[1] or not entry[2] or not ends or not remembered then
    if redis.call('PTTL', KEYS[1]) == -1 then redis.call('PEXPIRE', KEYS[1], millis(tonumber(ARGV[4]))) end
    return redis.error_reply('ERR an entry is damaged')
  end
  if state == 'started' and ends <= now then state, ends = 'unknown', ends + remembered end
  if ends > now then
    -- Whatever lost its end gets one.
    if redis.call('PTTL', KEYS[1]) == -1 then redis.call('PEXPIRE', KEYS[1], millis(ends - now + remembered)) end
    return answer('taken', entry[2], state, entry[6] or '')
  end
end
if redis.call('EXISTS', KEYS[2]) == 1 then return answer('lost') end
if kind == 'emptied' and now - began < refers then return answer('emptied') end

-- Both limits are asked before either is charged.
local charged = {}
for number = 1, 2 do
  local spacing, tolerance = tonumber(ARGV[4 + 2 * number]), tonumber(ARGV[5 + 2 * number])
  local text = redis.call('GET', KEYS[2 + number])
  local paid = tonumber(text or '0')
  if not paid then return redis.error_reply('ERR a limit is damaged') end
  if paid < now then paid = now end
  if paid - now > tolerance then
    if redis.call('PTTL', KEYS[2 + number]) == -1 then redis.call('PEXPIRE', KEYS[2 + number], millis(paid - now)) end
    return answer('limited')
  end
  charged[number] = paid + spacing
end
for number = 1, 2 do
  redis.call('SET', KEYS[2 + number], whole(charged[number]), 'PX', millis(charged[number] - now))
end

redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'token', ARGV[1], 'digest', ARGV[2], 'state', 'claimed',
  'until', whole(now + tonumber(ARGV[3])), 'remembered', ARGV[4], 'note', ARGV[5])
redis.call('PEXPIRE', KEYS[1], millis(tonumber(ARGV[3]) + 1000))
return answer('claimed')
