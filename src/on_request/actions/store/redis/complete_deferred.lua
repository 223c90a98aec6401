-- Forgets a task, because staff have completed its action.
-- KEYS: deferred tasks
-- ARGV: name of the task
return redis.call('HDEL', KEYS[1], ARGV[1])
