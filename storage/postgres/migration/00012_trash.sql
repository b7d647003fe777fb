-- Who does not manage a store lists its own trash alone.

-- +goose Up

SET LOCAL statement_timeout = 0;

-- state = 1, in words that a statement has only if it is to use this index.
CREATE INDEX entry_trash_owner ON entry (store, label, owner, deleted_at, id) WHERE state > 0 AND state < 2;
