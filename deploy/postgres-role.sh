#!/bin/sh
# Makes the role and the database of mneme, both named MNEME_DB_NAME (mneme), as
# the superuser POSTGRES_USER of the server that psql's own variables name. The
# role owns its database and nothing else. It is neither SUPERUSER nor
# BYPASSRLS: row-level security is forced on its tables, and binds it too
# (docs/decisions/0007-row-level-security.md).
#
# The image of PostgreSQL runs this once, when it sets up an empty volume; on
# another server run it by hand. The password is read by psql from the
# environment, and sent encrypted, so that it stands in no argument and no log.
set -eu
: "${MNEME_DB_PASSWORD:?}"
export MNEME_DB_NAME="${MNEME_DB_NAME:-mneme}"

psql -X -q -v ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname postgres <<'SQL'
\getenv name MNEME_DB_NAME
\getenv password MNEME_DB_PASSWORD
SET log_statement = 'none';
SET log_min_error_statement = 'panic';
SET log_min_duration_statement = -1;
CREATE ROLE :"name" LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'password';
CREATE DATABASE :"name" OWNER :"name" TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C.UTF-8' LC_CTYPE 'C.UTF-8';
REVOKE CONNECT ON DATABASE :"name" FROM PUBLIC;
SQL
