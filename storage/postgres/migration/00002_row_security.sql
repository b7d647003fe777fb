-- Defense in depth below the service: docs/decisions/0007-row-level-security.md.
-- Each transaction sets mneme.scope: '*', or a JSON object from store numbers to
-- their highest visible label. If it is not set, no row is visible.

-- +goose Up

-- +goose StatementBegin
DO $$
DECLARE
  tab text;
BEGIN
  FOREACH tab IN ARRAY ARRAY['entry', 'history', 'posting', 'tag'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tab);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tab); -- applies to the owner as well
    EXECUTE format($policy$CREATE POLICY scope ON %I USING (
      coalesce((SELECT current_setting('mneme.scope', true)) = '*', false) OR label <=
      ((SELECT nullif(nullif(current_setting('mneme.scope', true), '*'), '')::jsonb) ->> store::text)::smallint)$policy$, tab);
  END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down

-- +goose StatementBegin
DO $$
DECLARE
  tab text;
BEGIN
  FOREACH tab IN ARRAY ARRAY['entry', 'history', 'posting', 'tag'] LOOP
    EXECUTE format('DROP POLICY scope ON %I', tab);
    EXECUTE format('ALTER TABLE %I NO FORCE ROW LEVEL SECURITY', tab);
    EXECUTE format('ALTER TABLE %I DISABLE ROW LEVEL SECURITY', tab);
  END LOOP;
END $$;
-- +goose StatementEnd
