-- Outcomes of calls with an Idempotency-Key.

-- replay.purge deletes the outcomes that name entry $1.
DELETE FROM replay WHERE ids @> ARRAY[$1::uuid];
