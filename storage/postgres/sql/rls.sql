-- Row-level security settings: which rows the following statements may see (rls.go).

-- rls.set_scope makes visible the rows of stores up to labels: $1 is a JSON object.
SELECT set_config('mneme.scope', $1, true);

-- rls.set_store makes visible all rows of store $1.
SELECT set_config('mneme.scope', coalesce((SELECT jsonb_build_object(number::text, 4) FROM store WHERE id = $1), jsonb_build_object())::text, true);

-- rls.set_words makes visible the rows of table word that match tsquery $1 (policy words in
-- migration/00009_schema.sql).
SELECT set_config('mneme.words', $1, true);

-- rls.is_bypassed selects whether row-level security does not apply to the connection's role.
SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user;
