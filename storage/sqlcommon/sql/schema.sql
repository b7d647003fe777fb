-- The version of the schema.

-- schema.version selects the last migration, 0 for none.
SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied;
