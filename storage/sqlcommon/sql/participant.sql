-- The agents that take part in a chat. A membership without an end has no expires_at.

-- participant.end selects when the membership of agent $2 in chat $1 ends.
SELECT expires_at FROM participant WHERE of = $1 AND agent = $2;

-- participant.all selects all memberships, for a dump.
SELECT of, agent, expires_at FROM participant ORDER BY of, agent;

-- participant.put records that agent $2 takes part in chat $1 until $3, replacing an existing
-- row.
INSERT INTO participant (of, agent, expires_at) VALUES ($1, $2, $3)
ON CONFLICT (of, agent) DO UPDATE SET expires_at = excluded.expires_at;

-- participant.insert records that agent $2 takes part in chat $1 until $3, unless there is a
-- row.
INSERT INTO participant (of, agent, expires_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING;

-- participant.delete deletes the row of agent $2 and chat $1.
DELETE FROM participant WHERE of = $1 AND agent = $2;

-- participant.expire deletes at most $2 rows that have expired at $1. Both queries have the
-- condition: if a row was renewed meanwhile, PostgreSQL checks only the outer query's condition
-- again.
DELETE FROM participant WHERE expires_at <= $1 AND (of, agent) IN
	(SELECT of, agent FROM participant WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2);
