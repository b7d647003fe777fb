-- When what an entry tells of happened, according to its writer.

-- +goose Up

-- Entries that have it. at is the first instant of a date. A table of its own,
-- since columns that are added to entry follow the wide ones.
CREATE TABLE occurrence (
  doc  INTEGER PRIMARY KEY REFERENCES entry,
  at   INTEGER NOT NULL,
  date INTEGER NOT NULL -- 1: no time of day is known
) STRICT;

-- The same of former versions. Null is none.
ALTER TABLE history ADD COLUMN occurred_at INTEGER;
ALTER TABLE history ADD COLUMN occurred_date INTEGER;

-- +goose Down

ALTER TABLE history DROP COLUMN occurred_date;
ALTER TABLE history DROP COLUMN occurred_at;
DROP TABLE occurrence;
