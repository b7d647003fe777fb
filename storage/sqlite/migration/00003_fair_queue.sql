-- Queue rows know their store, label and cost, so that stores take turns, short
-- rows go first, and a search can ask what of its scope waits.

-- +goose Up

-- chunks is the estimated cost: 0 if there is nothing to embed. long is 1 if it is
-- more than a short row's (indexer.LongChunks). not_before is 0 if the row is due
-- whatever the clock says.
CREATE TABLE queue_next (
  doc        INTEGER PRIMARY KEY REFERENCES entry,
  revision   INTEGER NOT NULL,
  not_before INTEGER NOT NULL,
  attempts   INTEGER NOT NULL,
  last_error TEXT,
  queued_at  INTEGER NOT NULL,
  store      INTEGER NOT NULL REFERENCES store,
  label      INTEGER NOT NULL,
  chunks     INTEGER NOT NULL,
  long       INTEGER NOT NULL
) STRICT;
INSERT INTO queue_next
  SELECT doc, revision, not_before, attempts, last_error, queued_at, store, label, chunks, chunks > 8 FROM (
    SELECT q.*, e.store, e.label, CASE WHEN e.state = 0 AND e.in_context AND NOT e.encrypted
      THEN 1 + coalesce(length(e.value), 0) / 1800 ELSE 0 END AS chunks
    FROM queue q JOIN entry e ON e.doc = q.doc);
DROP TABLE queue;
ALTER TABLE queue_next RENAME TO queue;
CREATE INDEX queue_due ON queue (not_before, queued_at);
CREATE INDEX queue_age ON queue (queued_at);
CREATE INDEX queue_turn ON queue (long, store, chunks, queued_at) WHERE not_before = 0;
CREATE INDEX queue_wait ON queue (store, label, queued_at) WHERE chunks > 0;

-- +goose Down

CREATE TABLE queue_former (
  doc        INTEGER PRIMARY KEY REFERENCES entry,
  revision   INTEGER NOT NULL,
  not_before INTEGER NOT NULL,
  attempts   INTEGER NOT NULL,
  last_error TEXT,
  queued_at  INTEGER NOT NULL
) STRICT;
INSERT INTO queue_former SELECT doc, revision, not_before, attempts, last_error, queued_at FROM queue;
DROP TABLE queue;
ALTER TABLE queue_former RENAME TO queue;
CREATE INDEX queue_due ON queue (not_before, queued_at);
CREATE INDEX queue_age ON queue (queued_at);
