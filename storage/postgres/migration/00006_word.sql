-- The words of entries, for conditions on exact words: docs/decisions/0033-match.md.

-- +goose Up

-- The forms of live searchable entries (lexical.Document.Forms), as
-- lexical.FormKey: store, label and form in one lexeme. There are no positions.
CREATE TABLE word (
  entry uuid PRIMARY KEY,
  store bigint NOT NULL,
  label smallint NOT NULL,
  keys  tsvector NOT NULL
) WITH (fillfactor = 90);
-- A write appends to a list of the index, which a search reads as a whole: it is
-- kept short (kB).
CREATE INDEX word_keys ON word USING gin (keys) WITH (fastupdate = on, gin_pending_list_limit = 256);

ALTER TABLE word ENABLE ROW LEVEL SECURITY;
ALTER TABLE word FORCE ROW LEVEL SECURITY;
CREATE POLICY scope ON word USING (
  coalesce((SELECT current_setting('mneme.scope', true)) = '*', false) OR label <=
  ((SELECT nullif(nullif(current_setting('mneme.scope', true), '*'), '')::jsonb) ->> store::text)::smallint);
-- Under a policy, the planner uses an index for a condition of the query only if
-- its operator is leakproof, which @@ is not. But it uses one for a condition of
-- the first policy, and restrictive ones come first: so a search sets its
-- condition here too. Without one every row passes.
CREATE POLICY words ON word AS RESTRICTIVE FOR SELECT USING (
  keys @@ coalesce(nullif(current_setting('mneme.words', true), ''), '!''-''')::tsquery);

-- +goose Down

DROP TABLE word;
