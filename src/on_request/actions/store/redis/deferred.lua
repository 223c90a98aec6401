-- The tasks that staff have still to complete: name and skill, one behind the other.
-- KEYS: deferred tasks
-- ARGV: how many at most
local all = redis.call('HGETALL', KEYS[1])
local most = 2 * tonumber(ARGV[1])
if #all <= most then return all end
local some = {}
for place = 1, most do some[place] = all[place] end
return some
