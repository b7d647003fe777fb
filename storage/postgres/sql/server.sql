-- What the server says of itself and of a connection (pooler.go, replaced.go), and how it plans.

-- server.clock selects its time.
SELECT clock_timestamp();

-- server.is_direct selects whether the parameter that marks a connection reached it.
SELECT coalesce(current_setting('mneme.direct', true), '') = 'on';

-- server.has_parameter selects whether the server's parameter $1 is $2, which it is then in any
-- case.
SELECT coalesce(current_setting($1::text, true) = set_config($1::text, $2::text, true), false);

-- server.database selects numbers of the database and of a table, which the server gives once;
-- null: the table does not exist.
SELECT d.oid::text || ' ' || to_regclass('change')::oid::text FROM pg_database d WHERE d.datname = current_database();

-- server.plan_each makes PostgreSQL plan each statement of the transaction for its parameters.
SET LOCAL plan_cache_mode = force_custom_plan;
