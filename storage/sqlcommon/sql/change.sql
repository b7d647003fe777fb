-- Records of changes of entries' vectors, at positions without gaps. Each process reads new ones
-- to update its vector index.

-- change.oldest selects at most $2 changes after position $1.
SELECT position, at FROM change WHERE position > $1 ORDER BY position LIMIT $2;

-- change.remove deletes the changes up to position $1.
DELETE FROM change WHERE position <= $1;

-- change.after selects at most $2 changes after position $1.
SELECT position, entry FROM change WHERE position > $1 ORDER BY position LIMIT $2;

-- change.entries_after selects the entries of at most $2 changes after position $1.
SELECT entry FROM change WHERE position > $1 ORDER BY position LIMIT $2;

-- change.at selects the change at position $1.
SELECT entry, at FROM change WHERE position = $1;
