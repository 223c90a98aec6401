-- Remembers that staff have still to complete the action of a task.
-- KEYS: deferred tasks
-- ARGV: name of the task, its skill, how many there may be
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then return 1 end
if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 1
