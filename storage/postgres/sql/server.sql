-- Facts about the server and a connection (pooler.go, replaced.go), and how the server plans.

-- server.clock selects the server's time.
SELECT clock_timestamp();

-- server.is_direct selects whether the parameter that marks a connection reached it.
SELECT coalesce(current_setting('mneme.direct', true), '') = 'on';

-- server.has_parameter selects whether the server's parameter $1 is $2, and sets it to $2.
SELECT coalesce(current_setting($1::text, true) = set_config($1::text, $2::text, true), false);

-- server.database selects the numbers of the database and of a table, which the server never
-- reuses; null: the table does not exist.
SELECT d.oid::text || ' ' || to_regclass('change')::oid::text FROM pg_database d WHERE d.datname = current_database();

-- server.plan_each makes PostgreSQL plan each statement of the transaction for its parameters.
SET LOCAL plan_cache_mode = force_custom_plan;
