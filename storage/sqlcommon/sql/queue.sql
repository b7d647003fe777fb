-- The queue: a row for each entry whose vectors are out of date.

-- queue.count counts the rows.
SELECT count(*) FROM queue;

-- queue.aged selects the queue time of the row for which $1 others are older.
SELECT queued_at FROM queue ORDER BY queued_at LIMIT 1 OFFSET $1;
