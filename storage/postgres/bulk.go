package postgres

import (
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// Imports and workers write hundreds of rows into the same tables. A transaction collects the
// rows and writes them with one statement per table, before it queues any other statement.

// bulkWrite is a kind of write whose rows are collected.
type bulkWrite int

// The writes, in the order in which they run.
const (
	bulkEntry bulkWrite = iota
	bulkTag
	bulkWord
	bulkQueue
	bulkOldVectors
	bulkVector
	bulkDone
	bulkWrites
)

// writeOne has the statements that write one row. writeMany has those that write several rows:
// each of their parameters is the array of the rows' arguments.
var (
	writeOne = [bulkWrites]string{
		"entry.insert",
		"tag.insert",
		"word.put",
		"queue.put",
		"vector.delete_of_model",
		"vector.insert",
		"queue.remove_leased",
	}
	writeMany = [bulkWrites]string{
		"entry.insert_many",
		"tag.insert_many",
		"word.put_many",
		"queue.put_many",
		"vector.delete_many",
		"vector.insert_many",
		"queue.remove_many_leased",
	}
)

// maxBulkRows and maxBulkBytes bound the collected rows.
const (
	maxBulkRows  = 1000
	maxBulkBytes = 4 << 20
)

// bulk holds the collected rows of each kind of write: for each parameter, the list of the rows'
// arguments.
type bulk struct {
	columns [bulkWrites][][]any
	bytes   int // of values and vectors
}

// add collects a row. No collected row of the same kind may have its key.
func (b *bulk) add(write bulkWrite, args ...any) {
	columns := &b.columns[write]
	if *columns == nil {
		*columns = make([][]any, len(args))
	}
	for i, arg := range args {
		(*columns)[i] = append((*columns)[i], arg)
	}
}

// full reports whether enough rows are collected to write them.
func (b *bulk) full() bool {
	entries := b.columns[bulkEntry]
	return b.bytes > maxBulkBytes || entries != nil && len(entries[0]) >= maxBulkRows
}

// queueBulk queues the writes of the collected rows.
func (d *driver) queueBulk() {
	for write, columns := range d.bulk.columns {
		if columns == nil {
			continue
		}
		d.bulk.columns[write] = nil
		query, args := writeOne[write], make([]any, len(columns))
		for i, column := range columns {
			if args[i] = column[0]; len(column) > 1 {
				query, args[i] = writeMany[write], pgtype.FlatArray[any](column)
			}
		}
		if bulkWrite(write) == bulkOldVectors && query == writeMany[write] && ofOneStore(columns[2]) {
			query = "vector.delete_many_of_one"
		}
		if d.pendingBatch == nil {
			d.pendingBatch = &pgx.Batch{}
		}
		d.pendingBatch.Queue(texts.Text(query), args...)
	}
	d.bulk.bytes = 0
}

// ofOneStore reports whether a column of stores contains only one store.
func ofOneStore(stores []any) bool {
	return !slices.ContainsFunc(stores, func(store any) bool { return store != stores[0] })
}
