-- The server's part of shared variables, for the generators of a run, each of which is a member.
-- One operation is one call, and no other comes between.
--
-- KEYS[1]  the run: all keys begin with it
-- ARGV     the member, the number of its connection, the number of the operation, the lowest number
--          that the member still wants an answer to, the lease in microseconds, the operation, its
--          arguments
--
-- RUN:values   variable -> value        RUN:members  member -> until when it lives
-- RUN:holders  lock -> ticket           RUN:tokens   lock -> the last token
-- RUN:waiting  ticket -> its turn, and the lock      RUN:asked    the last turn
-- RUN:queue:LOCK  turns with their tickets, by priority
-- RUN:done:MEMBER  operation -> its answer, `low` and `high`: an operation that comes once more,
--                  because its answer was lost, is not done twice; `link`: the last connection
-- A ticket is MEMBER/NUMBER: one wish for a lock. The order of tokens is that of time, so that even
-- a server that has forgotten all gives none twice.

local run, member = KEYS[1], ARGV[1]
local link, number, low = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local lease, operation = tonumber(ARGV[5]), ARGV[6]
local call = redis.call
local time = call('TIME')
local now = time[1] * 1000000 + time[2]
local done = run .. ':done:' .. member

local function whole(value)
  return string.format('%.0f', value)
end

local function key(name)
  return run .. ':' .. name
end

-- All keys expire once no member gives signs of life.
local kept_s = whole(math.max(3600, 3 * lease / 1000000))

local function keep(...)
  for _, name in ipairs({...}) do
    call('EXPIRE', name, kept_s)
  end
end

local function set(name, field, value)
  if call('HSET', name, field, value) == 1 then
    keep(name)
  end
end

local function lives(ticket)
  local owner = string.match(ticket, '^(.*)/')
  return tonumber(call('HGET', key('members'), owner) or 0) > now
end

local function grant(lock, ticket)
  local token = whole(math.max(tonumber(call('HGET', key('tokens'), lock) or 0) + 1, now))
  set(key('tokens'), lock, token)
  set(key('holders'), lock, ticket)
  return token
end

-- The lock goes to the first waiting ticket of a living member.
local function pass_on(lock)
  call('HDEL', key('holders'), lock)
  while true do
    local first = call('ZPOPMIN', key('queue:' .. lock))
    if #first == 0 then
      return
    end
    local ticket = string.sub(first[1], 18)
    call('HDEL', key('waiting'), ticket)
    if lives(ticket) then
      local token = grant(lock, ticket)
      call('PUBLISH', run .. ':' .. string.match(ticket, '^(.*)/'), ticket .. ' ' .. token)
      return
    end
  end
end

-- Removes a ticket, wherever it is.
local function withdraw(lock, ticket)
  local place = call('HGET', key('waiting'), ticket)
  if place then
    call('HDEL', key('waiting'), ticket)
    call('ZREM', key('queue:' .. lock), string.sub(place, 1, 17) .. ticket)
  elseif call('HGET', key('holders'), lock) == ticket then
    pass_on(lock)
  end
end

-- Removes all tickets of the member but these. Waiting ones go first, so that none of them obtains
-- a lock that another gives back.
local function withdraw_all(but)
  local mine = member .. '/'
  local function goes(ticket)
    return string.sub(ticket, 1, #mine) == mine and not but[ticket]
  end
  local waiting = call('HGETALL', key('waiting'))
  for at = 1, #waiting, 2 do
    if goes(waiting[at]) then
      withdraw(string.sub(waiting[at + 1], 18), waiting[at])
    end
  end
  local held = call('HGETALL', key('holders'))
  for at = 1, #held, 2 do
    if goes(held[at + 1]) then
      withdraw(held[at], held[at + 1])
    end
  end
end

-- The first lock of the pairs LOCK, TICKET from this index on that the member no longer holds.
local function lost(from)
  for at = from, #ARGV, 2 do
    if call('HGET', key('holders'), ARGV[at]) ~= ARGV[at + 1] then
      return ARGV[at]
    end
  end
end

local operations = {}

-- Arguments: the highest number that the member knows to be done, then pairs LOCK, TICKET of all
-- that it holds or waits for. The server's other records of it are removed. Says whether the server
-- has lost any state.
function operations.join()
  local known = {}
  for at = 8, #ARGV, 2 do
    known[ARGV[at + 1]] = true
  end
  withdraw_all(known)
  set(done, 'link', link)
  local forgotten = tonumber(call('HGET', done, 'high') or 0) < tonumber(ARGV[7])
  return {'joined', forgotten and '1' or '0'}
end

function operations.beat()
  keep(key('values'), key('members'), key('holders'), key('tokens'), key('waiting'), done)
  return {'done'}
end

-- Arguments: the lock, the priority, the ticket.
function operations.lock()
  local lock, priority, ticket = ARGV[7], ARGV[8], ARGV[9]
  local holder = call('HGET', key('holders'), lock)
  if not holder then
    return {'token', grant(lock, ticket)}
  end
  if holder ~= ticket and call('HEXISTS', key('waiting'), ticket) == 0 then
    local turn = string.format('%016.0f:', call('INCR', key('asked')))
    call('ZADD', key('queue:' .. lock), priority, turn .. ticket)
    set(key('waiting'), ticket, turn .. lock)
  end
  keep(key('queue:' .. lock), key('asked'))
  if holder ~= ticket and not lives(holder) then
    pass_on(lock)
    holder = call('HGET', key('holders'), lock)
  end
  if holder == ticket then
    return {'token', call('HGET', key('tokens'), lock)}
  end
  return {'waits'}
end

-- Arguments: the lock, the ticket.
function operations.unlock()
  if call('HGET', key('holders'), ARGV[7]) ~= ARGV[8] then
    return {'lost', ARGV[7]}
  end
  pass_on(ARGV[7])
  return {'done'}
end

function operations.withdraw()
  withdraw(ARGV[7], ARGV[8])
  return {'done'}
end

-- Arguments: the variable, its value, then pairs LOCK, TICKET of the session's locks.
function operations.put()
  local lock = lost(9)
  if lock then
    return {'lost', lock}
  end
  if ARGV[8] == '' then
    call('HDEL', key('values'), ARGV[7])
  else
    set(key('values'), ARGV[7], ARGV[8])
  end
  return {'done'}
end

-- Arguments: as for put, with the amount.
function operations.add()
  local lock = lost(9)
  if lock then
    return {'lost', lock}
  end
  local before = call('HGET', key('values'), ARGV[7])
  if before and string.sub(before, 1, 1) ~= 'n' then
    return {'no number'}
  end
  local sum = tonumber(ARGV[8])
  if before then
    sum = tonumber(string.sub(before, 2)) + sum
  end
  local text = 'n' .. string.format('%.17g', sum)
  set(key('values'), ARGV[7], text)
  return {'value', text}
end

-- The member leaves for good.
local function depart()
  call('HDEL', key('members'), member)
  withdraw_all({})
  call('DEL', done)
  operations.beat()
  return {'done'}
end

local last = call('HMGET', done, 'link', 'low', number)
-- A late call over an abandoned connection must have no effect.
if link < tonumber(last[1] or 0) then
  return {'stale'}
end
if operation == 'depart' then
  return depart()
end
if last[3] then
  return cmsgpack.unpack(last[3])
end
set(key('members'), member, whole(now + lease))
local answer = operations[operation]()
if operation ~= 'join' then
  for old = tonumber(last[2] or low), low - 1 do
    call('HDEL', done, old)
  end
  call('HSET', done, number, cmsgpack.pack(answer), 'low', low, 'high', number)
end
return answer
