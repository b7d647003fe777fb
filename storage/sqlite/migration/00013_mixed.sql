-- See acl.Reading. What was queued at unread_at or before, the multilingual model has yet to
-- read, from label unread on.

-- +goose Up

ALTER TABLE reading ADD COLUMN mixed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE reading ADD COLUMN unread INTEGER NOT NULL DEFAULT 0;
ALTER TABLE reading ADD COLUMN unread_at INTEGER;
CREATE INDEX reading_unread ON reading (store) WHERE unread > 0;

-- Whether their entries are read is not known. Times are microseconds.
UPDATE reading SET unread = 1, unread_at = CAST(unixepoch('subsec') * 1000000 AS INTEGER) WHERE language = 2 OR language = 0 AND asked;
