-- The vectors of entries, by model: what a process reads to fill its vector index.

-- vector.stores selects the numbers of all stores.
SELECT number FROM store ORDER BY number;

-- vector.store_entries selects the entries of the store with number $1 that have vectors.
SELECT id FROM entry WHERE store = $1 AND state = 0 AND in_context AND NOT encrypted;

-- vector.next_entries selects at most $2 entries after ID $1.
SELECT id FROM entry WHERE id > $1 ORDER BY id LIMIT $2;
