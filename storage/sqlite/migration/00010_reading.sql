-- Which models read the entries of a store: see acl.Reading. A store without a row has
-- the zero one.

-- +goose Up

CREATE TABLE reading (
  store        TEXT PRIMARY KEY,
  language     INTEGER NOT NULL,
  asked        INTEGER NOT NULL,
  multilingual INTEGER NOT NULL
) STRICT;
