-- The feeds that clients follow (feed, feed_head): feed has the records of each store and label,
-- at positions from 1 without gaps; feed_head has the last position, and the last position whose
-- record was removed.

-- feed.oldest selects at most $4 records of store $1 and label $2 after position $3.
SELECT position, at FROM feed WHERE store = $1 AND label = $2 AND position > $3 ORDER BY position LIMIT $4;

-- feed.remove deletes the records of store $1 and label $2 up to position $3.
DELETE FROM feed WHERE store = $1 AND label = $2 AND position <= $3;

-- feed.set_removed records $1 as the last position removed, of store $2 and label $3.
UPDATE feed_head SET removed = $1 WHERE store = $2 AND label = $3;
