package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// The tables with the rows of stores may be partitioned by the hash of the store, so that a
// statement that names the store reads and writes one partition of each. Columns and statements
// are the same either way. See docs/decisions/0076-partitions.md.

// MinPartitions and MaxPartitions bound the number of partitions. Planning takes time for each
// partition, and a lookup by ID probes an index in each.
const (
	MinPartitions = 2
	MaxPartitions = 64
)

// ErrPartitions means that a database cannot have the requested number of partitions.
var ErrPartitions = errors.New("postgres.partitions does not fit")

// partitionedTables are the tables with a column store that is the number of a store, except
// the queue: workers take its rows across stores, in their own order.
var partitionedTables = []string{
	"entry", "history", "past", "tag", "usage", "posting", "total", "word", "vector", "feed", "feed_head",
}

// checkPartitions returns ErrPartitions if n is neither 0 nor a valid number.
func checkPartitions(n int) error {
	if n == 0 || n >= MinPartitions && n <= MaxPartitions {
		return nil
	}
	return fmt.Errorf("%w: it must be 0 or from %d to %d", ErrPartitions, MinPartitions, MaxPartitions)
}

// partition partitions the tables if they are not partitioned; 0 leaves them unchanged. It
// returns their number of partitions, 0 for plain tables. The error is ErrPartitions if they
// have another number. The transaction must hold the lock of migrations.
func partition(ctx context.Context, tx pgx.Tx, partitions int) (has int, err error) {
	if err := tx.QueryRow(ctx, texts.Text("partition.count")).Scan(&has); err != nil {
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
	_, err = tx.Exec(ctx, "ANALYZE "+list) // autovacuum does not analyze a partitioned table
	return err
}

// convertTable replaces a table with a partitioned one with the same rows, indexes,
// constraints, policies and grants.
func convertTable(ctx context.Context, tx pgx.Tx, table string, partitions int) error {
	create, err := statementsOf(ctx, tx, "partition.create", table, partitions)
	if err != nil {
		return err
	}
	var finish []string
	for _, query := range []string{"partition.constraints", "partition.indexes", "partition.policies", "partition.grants"} {
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

// statementsOf returns the statements that a query of sql/partition.sql generates.
func statementsOf(ctx context.Context, tx pgx.Tx, query, table string, partitions int) ([]string, error) {
	rows, err := tx.Query(ctx, texts.Text(query), table, partitions)
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
