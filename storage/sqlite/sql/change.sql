-- Changes, which vector indexes follow, at positions without gaps.

-- change.last selects the last position ever assigned. Its row may be deleted.
SELECT seq FROM sqlite_sequence WHERE name = 'change';

-- change.insert records a change of entry $1 at time $2.
INSERT INTO change (entry, at) VALUES (?, ?);
