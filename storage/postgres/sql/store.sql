-- The numbers of stores.

-- store.insert gives store $1 a number, and returns it.
INSERT INTO store (id) VALUES ($1) RETURNING number;

-- store.set_next records that $2 is the docID of the next entry of the store with number $1.
UPDATE store SET next_place = $2 WHERE number = $1;

-- store.of_entries selects the stores of entries $1.
SELECT DISTINCT s.id FROM entry e JOIN store s ON s.number = e.store WHERE e.id = ANY($1);
