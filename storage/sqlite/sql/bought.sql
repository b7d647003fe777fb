-- Entries that were shown to a buyer of a store.

-- bought.entries selects the entries, of $3, that were shown to buyer $2 of store $1.
SELECT DISTINCT entry FROM bought WHERE store = $1 AND buyer = $2 AND entry IN (SELECT unhex(value) FROM json_each($3));

-- bought.digests selects the digests, of $3, that were shown to buyer $2 of store $1.
SELECT DISTINCT digest FROM bought WHERE store = $1 AND buyer = $2 AND digest IN (SELECT unhex(value) FROM json_each($3));

-- bought.move gives entries $3 of charge $1 to charge $2.
UPDATE bought SET charge = $2 WHERE charge = $1 AND entry IN (SELECT unhex(value) FROM json_each($3));

-- bought.count_expired counts the documents of store $1 with labels $2 that have expired at $3.
-- Labels are listed, so that the index is searched label by label.
SELECT count(*) FROM store s CROSS JOIN entry e INDEXED BY entry_expiring
	WHERE s.id = $1 AND e.store = s.number AND e.label IN (SELECT value FROM json_each($2)) AND e.expires_at <= $3
	AND e.state = 0 AND e.in_context AND NOT e.encrypted;
