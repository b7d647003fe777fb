-- The version of the schema.

-- schema.exists selects whether there is a schema.
SELECT to_regclass('goose_db_version') IS NOT NULL;
