-- The number of entries, and bytes of values, of a writer in a store, by label.

-- usage.of selects the entries and bytes of store $1, label $2 and writer $3.
SELECT u.entries, u.bytes FROM store s JOIN usage u ON u.store = s.number AND u.label = $2 AND u.writer = $3 WHERE s.id = $1;
