-- Which models read the entries of a store: see acl.Reading. A store without a row has
-- the zero one.

-- +goose Up

CREATE TABLE reading (
  store        text COLLATE "C" PRIMARY KEY,
  language     smallint NOT NULL,
  asked        boolean NOT NULL,
  multilingual smallint NOT NULL
);
