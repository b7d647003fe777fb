-- The sales of store $1 in [$2, $3), through offers up to label $4: its charges, and the entries
-- bought with them that it still has. Each statement selects the key by which it groups, and is
-- ordered by it. Three parts differ between the databases: {sale.day} is the day of a charge,
-- {sale.entries} the number of its entries, and {sale.charges} table charge, in SQLite together
-- with the index to use.

-- {sale.is_sold} is the condition on charges c.
c.store = $1 AND c.at >= $2 AND c.at < $3 AND c.label <= $4 AND c.state IN ('pending', 'done')

-- {sale.sums} are the sums over charges.
count(*), CAST(sum(c.hits) AS bigint), CAST(sum({sale.entries}) AS bigint), CAST(sum(c.amount) AS bigint)
	FROM {sale.charges} WHERE {sale.is_sold} GROUP BY 1 ORDER BY 1

-- {sale.distinct} is the number of entries that the store still has.
count(DISTINCT e.id) FROM {sale.charges} CROSS JOIN bought b CROSS JOIN entry e WHERE {sale.is_sold} AND b.charge = c.id AND e.id = b.entry
	AND e.store = (SELECT number FROM store WHERE id = $1) AND e.state = 0 AND e.label <= $4 AND e.in_context AND NOT e.encrypted
	GROUP BY 1 ORDER BY 1

-- sale.by_day selects day, searches, hits, entries and income.
SELECT {sale.day}, {sale.sums};

-- sale.by_buyer selects the same by buyer.
SELECT c.buyer, {sale.sums};

-- sale.by_offer selects the same by offer.
SELECT c.offer, {sale.sums};

-- sale.distinct_by_day selects day and distinct entries.
SELECT {sale.day}, {sale.distinct};

-- sale.distinct_by_buyer selects the same by buyer.
SELECT c.buyer, {sale.distinct};

-- sale.distinct_by_offer selects the same by offer.
SELECT c.offer, {sale.distinct};
