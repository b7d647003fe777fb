-- What was erased and may still be on pages or in the write-ahead log:
-- docs/decisions/0055-erased-on-disk.md.

-- +goose Up

-- One row. A database of an earlier version may hold text that it erased.
CREATE TABLE erasure (
  id          INTEGER PRIMARY KEY CHECK (id = 0),
  erased      INTEGER NOT NULL, -- number of transactions that erased text
  scrubbed    INTEGER NOT NULL, -- as many of them have left nothing in any file
  urgent      INTEGER NOT NULL, -- whether one of the others was a purge
  scrubbed_at INTEGER NOT NULL  -- µs since 1970, 0: never
) STRICT;
INSERT INTO erasure VALUES (0, 1, 0, 0, 0);

-- +goose Down

DROP TABLE erasure;
