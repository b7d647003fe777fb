-- Queue rows know their store, label and cost, so that stores take turns, short
-- rows go first, and a search can ask what of its scope waits. With store and
-- label they come under row-level security too: see 00002_row_security.sql.

-- +goose Up

SET LOCAL mneme.scope = '*'; -- the rows of table entry are under it
LOCK TABLE queue IN ACCESS EXCLUSIVE MODE;

-- chunks is the estimated cost: 0 if there is nothing to embed. long is set if it
-- is more than a short row's (indexer.LongChunks).
ALTER TABLE queue ADD COLUMN store bigint, ADD COLUMN label smallint, ADD COLUMN chunks integer, ADD COLUMN long boolean;
DELETE FROM queue q WHERE NOT EXISTS (SELECT FROM entry e WHERE e.id = q.entry);
UPDATE queue q SET store = e.store, label = e.label, chunks = n.chunks, long = n.chunks > 8
FROM entry e CROSS JOIN LATERAL (SELECT CASE WHEN e.state = 0 AND e.in_context AND NOT e.encrypted
  THEN 1 + coalesce(length(e.value), 0) / 1800 ELSE 0 END AS chunks) n WHERE e.id = q.entry;
ALTER TABLE queue ALTER COLUMN store SET NOT NULL, ALTER COLUMN label SET NOT NULL,
  ALTER COLUMN chunks SET NOT NULL, ALTER COLUMN long SET NOT NULL;
CREATE INDEX queue_turn ON queue (long, store, chunks, queued_at, entry) WHERE not_before = '-infinity';
CREATE INDEX queue_wait ON queue (store, label, queued_at) WHERE chunks > 0;
ALTER TABLE queue ENABLE ROW LEVEL SECURITY;
ALTER TABLE queue FORCE ROW LEVEL SECURITY;
CREATE POLICY scope ON queue USING (
  coalesce((SELECT current_setting('mneme.scope', true)) = '*', false) OR label <=
  ((SELECT nullif(nullif(current_setting('mneme.scope', true), '*'), '')::jsonb) ->> store::text)::smallint);

-- +goose Down

DROP POLICY scope ON queue;
ALTER TABLE queue NO FORCE ROW LEVEL SECURITY;
ALTER TABLE queue DISABLE ROW LEVEL SECURITY;
ALTER TABLE queue DROP COLUMN store, DROP COLUMN label, DROP COLUMN chunks, DROP COLUMN long;
