package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// The tables with the rows of stores may be partitioned by the hash of the store, so that
// a statement that names the store reads and writes one part of each. Their columns and
// the statements are the same either way. See docs/decisions/0076-partitions.md.

// MinPartitions and MaxPartitions are the least and the largest number of partitions.
// Planning takes time for each, and a look-up by ID probes an index of each.
const (
	MinPartitions = 2
	MaxPartitions = 64
)

// ErrPartitions means that a number of partitions is asked for that a database cannot have.
var ErrPartitions = errors.New("postgres.partitions does not fit")

// partitionedTables are those with a column store that is the number of a store, but for
// the queue: workers take its rows across stores, in an order of their own.
var partitionedTables = []string{
	"entry", "history", "past", "tag", "usage", "posting", "total", "word", "vector", "feed", "feed_head",
}

// checkPartitions returns ErrPartitions if n is neither 0 nor a possible number.
func checkPartitions(n int) error {
	if n == 0 || n >= MinPartitions && n <= MaxPartitions {
		return nil
	}
	return fmt.Errorf("%w: it must be 0 or from %d to %d", ErrPartitions, MinPartitions, MaxPartitions)
}

// partition partitions the tables if they are not; 0 leaves them as they are. It returns
// the number of partitions that they have, 0 for plain tables. The error is ErrPartitions if they
// have another number of partitions. The transaction holds the
// lock of migrations.
func partition(ctx context.Context, tx pgx.Tx, partitions int) (has int, err error) {
	if err := tx.QueryRow(ctx, "SELECT count(*) FROM pg_inherits WHERE inhparent = 'entry'::regclass").Scan(&has); err != nil {
		return 0, interpret(ctx, "count the partitions", err)
	}
	switch {
	case partitions == 0 || partitions == has:
		return has, nil
	case has == 0:
		return partitions, interpret(ctx, "partition the tables", convert(ctx, tx, partitions))
	}
	return has, fmt.Errorf("%w: the database has %d partitions, not %d: set that number or none, or load a dump into an empty database",
		ErrPartitions, has, partitions)
}

// convert partitions the tables. Writers wait for it.
func convert(ctx context.Context, tx pgx.Tx, partitions int) error {
	list := strings.Join(partitionedTables, ", ")
	err := execAll(ctx, tx, []string{
		"SET LOCAL statement_timeout = 0",
		"SET LOCAL enable_seqscan = on", // every row is read
		setAll,
		fmt.Sprintf("SELECT pg_advisory_xact_lock(%d)", databaseLock),
		"LOCK TABLE " + list + " IN ACCESS EXCLUSIVE MODE",
	})
	for _, table := range partitionedTables {
		if err == nil {
			err = convertTable(ctx, tx, table, partitions)
		}
	}
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "ANALYZE "+list) // autovacuum does not do it for a partitioned table
	return err
}

// convertTable replaces a table by a partitioned one with the same rows, indexes,
// constraints, policies and grants.
func convertTable(ctx context.Context, tx pgx.Tx, table string, partitions int) error {
	create, err := statementsOf(ctx, tx, createPartitions, table, partitions)
	if err != nil {
		return err
	}
	var finish []string
	for _, query := range []string{restoreConstraints, restoreIndexes, restorePolicies, restoreGrants} {
		list, err := statementsOf(ctx, tx, query, table, partitions)
		if err != nil {
			return err
		}
		finish = append(finish, list...)
	}
	return execAll(ctx, tx, slices.Concat(
		[]string{
			"ALTER TABLE " + table + " RENAME TO " + table + "_plain",
			"CREATE TABLE " + table + " (LIKE " + table + "_plain INCLUDING ALL EXCLUDING INDEXES) PARTITION BY HASH (store)",
		},
		create,
		[]string{
			"INSERT INTO " + table + " SELECT * FROM " + table + "_plain",
			"DROP TABLE " + table + "_plain", // its indexes have the names of the new ones
		},
		finish))
}

// Queries that return the statements which give a table's replacement what the table $1
// has, in $2 partitions.
const (
	// A partitioned table has no storage parameters of its own.
	createPartitions = `SELECT format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS %s, REMAINDER %s)%s',
		c.relname || '_p' || i, c.relname, $2::int, i, ' WITH (' || array_to_string(c.reloptions, ', ') || ')')
		FROM pg_class c, generate_series(0, $2::int - 1) i WHERE c.oid = $1::text::regclass ORDER BY i`
	// A unique key of a partitioned table includes the store: it is appended to that of a
	// table of which the ID alone is the key.
	restoreConstraints = `SELECT format('ALTER TABLE %I ADD CONSTRAINT %I %s', $1::text, k.conname, CASE
			WHEN k.contype = 'p' AND NOT s.attnum = ANY (k.conkey) THEN regexp_replace(pg_get_constraintdef(k.oid), '\)$', ', store)')
			ELSE pg_get_constraintdef(k.oid) END)
		FROM pg_constraint k JOIN pg_attribute s ON s.attrelid = k.conrelid AND s.attname = 'store'
		WHERE k.conrelid = $1::text::regclass AND k.contype IN ('p', 'f') AND $2::int > 0 ORDER BY k.contype DESC, k.conname`
	restoreIndexes = `SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i WHERE i.indrelid = $1::text::regclass AND $2::int > 0
		AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid) ORDER BY i.indexrelid`
	// Whoever names a partition is under the policies too.
	restorePolicies = `WITH t AS (SELECT $1::text AS name UNION ALL SELECT $1::text || '_p' || i FROM generate_series(0, $2::int - 1) i)
		SELECT format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', t.name) FROM t, pg_class c
		WHERE c.oid = $1::text::regclass AND c.relrowsecurity AND c.relforcerowsecurity
		UNION ALL SELECT format('CREATE POLICY %I ON %I AS %s FOR %s USING (%s)', p.polname, t.name, CASE WHEN p.polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END,
			CASE p.polcmd WHEN '*' THEN 'ALL' WHEN 'r' THEN 'SELECT' END, pg_get_expr(p.polqual, p.polrelid))
		FROM t, pg_policy p WHERE p.polrelid = $1::text::regclass`
	restoreGrants = `SELECT format('GRANT %s ON %I TO %s%s', a.privilege_type, c.relname,
			CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END, CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
		FROM pg_class c, aclexplode(c.relacl) a WHERE c.oid = $1::text::regclass AND a.grantee <> c.relowner AND $2::int > 0`
)

// statementsOf returns the statements that one of these queries makes.
func statementsOf(ctx context.Context, tx pgx.Tx, query, table string, partitions int) ([]string, error) {
	rows, err := tx.Query(ctx, query, table, partitions)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

func execAll(ctx context.Context, tx pgx.Tx, statements []string) error {
	for _, statement := range statements {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}
