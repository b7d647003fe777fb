-- The version of the schema.

-- schema.exists selects whether there is a schema.
SELECT count(*) > 0 FROM sqlite_schema WHERE name = 'goose_db_version';
