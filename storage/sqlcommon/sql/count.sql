-- The number of searches in a time window, and of the entries that they have shown (table
-- metered_count), by a buyer of a store or by all buyers of an offer.

-- {count.columns} are the columns of a window. All but the last two are its key.
store, buyer, offer, span, start, searches, entries

-- count.of selects searches and entries of a window: $1 store, $2 buyer, $3 offer, $4 span, $5
-- start.
SELECT searches, entries FROM metered_count WHERE store = $1 AND buyer = $2 AND offer = $3 AND span = $4 AND start = $5;

-- count.all selects all windows, for a dump.
SELECT {count.columns} FROM metered_count ORDER BY store, buyer, offer, span, start;

-- count.insert inserts a window with the columns $1 … $7, unless there is one with its key.
INSERT INTO metered_count ({count.columns}) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING;

-- count.add inserts a window with the columns $1 … $7, or adds its searches and entries to the
-- window with its key.
INSERT INTO metered_count ({count.columns}) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (store, buyer, offer, span, start)
	DO UPDATE SET searches = metered_count.searches + excluded.searches, entries = metered_count.entries + excluded.entries;

-- count.delete_before deletes the windows that began before $1.
DELETE FROM metered_count WHERE start < $1 AND span <> 'total';
