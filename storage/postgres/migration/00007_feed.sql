-- The feed of changes that clients follow.

-- +goose Up

-- One record for each write of an entry in context. Positions begin at 1 for each
-- store and label, and have no gaps: they are assigned under the lock of the store.
-- The path is that of the entry, which may have been purged since; namespace and
-- key are set only if the entry left the path.
CREATE TABLE feed (
  store     bigint NOT NULL,
  position  bigint NOT NULL,
  entry     uuid NOT NULL,
  at        timestamptz NOT NULL,
  label     smallint NOT NULL,
  namespace text COLLATE "C",
  key       text COLLATE "C",
  PRIMARY KEY (store, label, position)
);
CREATE INDEX feed_left ON feed (entry) WHERE key IS NOT NULL; -- for a purge

-- The last position, and the last one that was removed.
CREATE TABLE feed_head (
  store   bigint NOT NULL,
  label   smallint NOT NULL,
  last    bigint NOT NULL,
  removed bigint NOT NULL,
  PRIMARY KEY (store, label)
) WITH (fillfactor = 50);

-- See 00002_row_security.sql.
ALTER TABLE feed ENABLE ROW LEVEL SECURITY;
ALTER TABLE feed FORCE ROW LEVEL SECURITY;
CREATE POLICY scope ON feed USING (
  coalesce((SELECT current_setting('mneme.scope', true)) = '*', false) OR label <=
  ((SELECT nullif(nullif(current_setting('mneme.scope', true), '*'), '')::jsonb) ->> store::text)::smallint);

-- +goose Down

DROP TABLE feed_head, feed;
