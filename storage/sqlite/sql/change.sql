-- Records of changes of entries' vectors, at positions without gaps. Each process reads new ones
-- to update its vector index.

-- change.last selects the last position ever assigned, also if its row was deleted.
SELECT seq FROM sqlite_sequence WHERE name = 'change';

-- change.insert records a change of entry $1 at time $2.
INSERT INTO change (entry, at) VALUES (?, ?);
