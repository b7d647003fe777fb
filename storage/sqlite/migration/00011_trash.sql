-- Who does not manage a store lists its own trash alone.

-- +goose Up

CREATE INDEX entry_trash_owner ON entry (store, label, owner, deleted_at, id) WHERE state = 1;
