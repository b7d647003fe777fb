-- Former versions of entries (history), and their number and size (past).

-- history.purge deletes the versions of entry $1.
DELETE FROM history WHERE id = $1;

-- history.add_past adds $3 former versions of $4 bytes to the counts of entry $1 of store $2.
INSERT INTO past (entry, store, versions, bytes) VALUES ($1, $2, $3, $4)
	ON CONFLICT ON CONSTRAINT past_pkey DO UPDATE SET versions = past.versions + excluded.versions, bytes = past.bytes + excluded.bytes;

-- history.move_past moves the counts of entry $1 from store $2 to store $3.
UPDATE past SET store = $3 WHERE entry = $1 AND store = $2;

-- history.past selects store and counts of entry $1.
SELECT store, versions, bytes FROM past WHERE entry = $1;

-- history.excess selects at most $4 entries after ID $1 with more than $2 former versions, or
-- more than $3 bytes of them.
SELECT entry FROM past WHERE entry > $1 AND versions > 1 AND (versions > $2 OR bytes > $3)
	ORDER BY entry LIMIT $4;

-- history.purge_past deletes the counts of entry $1 of store $2.
DELETE FROM past WHERE entry = $1 AND store = $2;
