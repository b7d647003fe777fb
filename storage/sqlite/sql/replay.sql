-- Outcomes of calls with an Idempotency-Key, and the entries that they name.

-- replay.add_entry lists entry $1 as one that an outcome names, so that a purge finds the
-- outcome: $2 agent, $3 taint, $4 call, $5 path, $6 key.
INSERT OR IGNORE INTO replay_entry (entry, replay) SELECT $1, number FROM replay
	WHERE agent = $2 AND taint = $3 AND call = $4 AND path = $5 AND key = $6;

-- replay.purge deletes the outcomes that name entry $1.
DELETE FROM replay WHERE number IN (SELECT replay FROM replay_entry WHERE entry = $1);
