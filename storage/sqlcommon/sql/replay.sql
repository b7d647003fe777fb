-- Outcomes of calls with an Idempotency-Key. A key is unique for an agent, taint, call and path.

-- {replay.of_key} is the condition that a row has the key $1 agent, $2 taint, $3 call, $4
-- path, $5 key.
agent = $1 AND taint = $2 AND call = $3 AND path = $4 AND key = $5

-- replay.outcome selects the outcome of the key $1 agent, $2 taint, $3 call, $4 path, $5 key.
SELECT digest, status, ids, numbers, expires_at FROM replay WHERE {replay.of_key};

-- replay.insert records an outcome, unless its key has one: $1 … $10 its columns.
INSERT INTO replay (agent, taint, call, path, key, digest, status, ids, numbers, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING;

-- replay.expire deletes at most $2 outcomes that have expired at $1. Both queries have the
-- condition: if a row was renewed meanwhile, PostgreSQL checks only the outer query's condition
-- again.
DELETE FROM replay WHERE expires_at <= $1 AND (agent, taint, call, path, key) IN
	(SELECT agent, taint, call, path, key FROM replay WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2);

-- replay.expire_one deletes an outcome if it has expired at $6: $1 agent, $2 taint, $3 call,
-- $4 path, $5 key.
DELETE FROM replay WHERE {replay.of_key} AND expires_at <= $6;
