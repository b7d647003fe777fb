-- The feed of changes that clients follow.

-- +goose Up

-- One record for each write of an entry in context. Positions begin at 1 for each
-- store and label, and have no gaps. The path is that of the entry, which may have
-- been purged since; namespace and key are set only if the entry left the path.
CREATE TABLE feed (
  store     INTEGER NOT NULL,
  label     INTEGER NOT NULL,
  position  INTEGER NOT NULL,
  doc       INTEGER NOT NULL,
  at        INTEGER NOT NULL,
  namespace TEXT,
  key       TEXT,
  PRIMARY KEY (store, label, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX feed_left ON feed (doc) WHERE key IS NOT NULL; -- for a purge

-- The last position, and the last one that was removed.
CREATE TABLE feed_head (
  store   INTEGER NOT NULL,
  label   INTEGER NOT NULL,
  last    INTEGER NOT NULL,
  removed INTEGER NOT NULL,
  PRIMARY KEY (store, label)
) STRICT, WITHOUT ROWID;

-- +goose Down

DROP TABLE feed_head;
DROP TABLE feed;
