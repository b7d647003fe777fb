-- The numbers of stores.

-- store.number selects the number of store $1.
SELECT number FROM store WHERE id = $1;

-- store.insert gives store $1 a number.
INSERT INTO store (id) VALUES ($1);
