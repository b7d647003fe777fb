-- See acl.Reading. What was queued at unread_at or before, the multilingual model has yet to
-- read, from label unread on.

-- +goose Up

ALTER TABLE reading ADD COLUMN mixed smallint NOT NULL DEFAULT 0;
ALTER TABLE reading ADD COLUMN unread smallint NOT NULL DEFAULT 0;
ALTER TABLE reading ADD COLUMN unread_at timestamptz;
CREATE INDEX reading_unread ON reading (store) WHERE unread > 0;

-- Whether their entries are read is not known.
UPDATE reading SET unread = 1, unread_at = now() WHERE language = 2 OR language = 0 AND asked;
