-- The queue: a row for each entry whose vectors are out of date.

-- queue.count counts the rows.
SELECT count(*) FROM queue;

-- queue.aged selects since when the row waits that $1 others wait longer than.
SELECT queued_at FROM queue ORDER BY queued_at LIMIT 1 OFFSET $1;
