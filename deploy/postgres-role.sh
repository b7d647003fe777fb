#!/bin/sh
# Creates mneme's role and database, both named MNEME_DB_NAME (default mneme), as
# the superuser POSTGRES_USER of the server that psql's environment variables
# name. The role owns its database and nothing else. It is neither SUPERUSER nor
# BYPASSRLS: row-level security is forced on its tables and applies to it too
# (docs/decisions/0007-row-level-security.md).
#
# PostgreSQL's image runs this once, when it initializes an empty volume. On
# another server run it by hand. psql reads the password from the environment, so
# it appears in no argument and no log.
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
