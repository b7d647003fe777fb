-- What the server says of itself and of a connection (pooler.go).

-- server.clock selects its time.
SELECT clock_timestamp();

-- server.is_direct selects whether the parameter that marks a connection reached it.
SELECT coalesce(current_setting('mneme.direct', true), '') = 'on';

-- server.has_parameter selects whether the server's parameter $1 is $2, which it is then in any
-- case.
SELECT coalesce(current_setting($1::text, true) = set_config($1::text, $2::text, true), false);
