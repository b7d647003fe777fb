-- Vectors and the counts of former versions name the store of their entry, as all other
-- rows of a store do, so that the tables can be partitioned by it (partition.go).

-- +goose Up

SET LOCAL statement_timeout = 0;
SET LOCAL enable_seqscan = on; -- every row is read
SET LOCAL mneme.scope = '*';

-- A row is found by its ID alone, also by statements that name its store too: no index but
-- those of live or deleted rows begins with the store.
DROP INDEX entry_place;
CREATE UNIQUE INDEX entry_place ON entry (place, store);

ALTER TABLE past ADD COLUMN store bigint;
UPDATE past SET store = e.store FROM entry e WHERE e.id = past.entry;
DELETE FROM past WHERE store IS NULL;
ALTER TABLE past ALTER COLUMN store SET NOT NULL;

-- Rows of vectors are wide: a new table takes less space than updated rows.
CREATE TABLE vector_of_store (
  model    integer NOT NULL,
  store    bigint NOT NULL,
  entry    uuid NOT NULL,
  chunk    integer NOT NULL,
  revision bigint NOT NULL,
  half     bytea NOT NULL,
  codes    bytea
);
ALTER TABLE vector_of_store ALTER COLUMN half SET STORAGE EXTERNAL;
ALTER TABLE vector_of_store ALTER COLUMN codes SET STORAGE EXTERNAL;
INSERT INTO vector_of_store
  SELECT v.model, e.store, v.entry, v.chunk, v.revision, v.half, v.codes FROM vector v JOIN entry e ON e.id = v.entry;
DROP TABLE vector;
ALTER TABLE vector_of_store RENAME TO vector;
ALTER TABLE vector ADD CONSTRAINT vector_pkey PRIMARY KEY (model, entry, chunk);
