-- The agents that serve a user in a session. A membership without an end has no expires_at.

-- session.end selects when the session of agent $2 with user $1 ends.
SELECT expires_at FROM session WHERE of = $1 AND agent = $2;

-- session.all selects all sessions, for a dump.
SELECT of, agent, expires_at FROM session ORDER BY of, agent;

-- session.put records that agent $2 serves user $1 until $3, replacing an existing row.
INSERT INTO session (of, agent, expires_at) VALUES ($1, $2, $3)
ON CONFLICT (of, agent) DO UPDATE SET expires_at = excluded.expires_at;

-- session.insert records that agent $2 serves user $1 until $3, unless there is a row.
INSERT INTO session (of, agent, expires_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING;

-- session.delete deletes the row of agent $2 and user $1.
DELETE FROM session WHERE of = $1 AND agent = $2;

-- session.expire deletes at most $2 rows that have expired at $1. Both queries have the
-- condition: if a row was renewed meanwhile, PostgreSQL checks only the outer query's condition
-- again.
DELETE FROM session WHERE expires_at <= $1 AND (of, agent) IN
	(SELECT of, agent FROM session WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2);
