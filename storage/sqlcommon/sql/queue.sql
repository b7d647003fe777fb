-- The queue: a row for each entry whose vectors are out of date.

-- queue.count counts the rows.
SELECT count(*) FROM queue;

-- queue.aged selects when the row was queued that has $1 older ones: 0 selects the oldest row.
SELECT queued_at FROM queue ORDER BY queued_at LIMIT 1 OFFSET $1;
