package sqlcommon

import (
	"context"
	"fmt"
	"strconv"
)

// Kept is a connection's cache of rows of small tables, such as grants. Its reading transactions
// fill it, and it is valid until anybody commits. It is for searches, each of which reads its
// caller's rights twice.
//
// SECURITY: it caches rows and no decisions: each transaction decides again what the rows permit.
// A faster answer reveals only that some caller has asked about the same store, which the page
// cache of the operating system reveals, too.
type Kept struct {
	version int64 // of the database
	lists   map[keptQuery]any
	bytes   int // of lists, approximately
}

type keptQuery struct{ text, args string }

const (
	maxKept      = 1 << 20 // bounds Kept.bytes
	keptRowBytes = 600     // approximate size of a row of the largest kind, a metered grant
)

// At empties k unless the database has the same version as at the last call.
func (k *Kept) At(version int64) {
	if k.version != version {
		*k = Kept{version: version}
	}
}

func (k *Kept) put(query keptQuery, list any, rows int) {
	bytes := len(query.args) + (1+rows)*keptRowBytes
	if bytes > maxKept {
		return
	}
	if k.lists == nil || k.bytes+bytes > maxKept {
		k.lists, k.bytes = make(map[keptQuery]any), 0
	}
	k.lists[query] = list
	k.bytes += bytes
}

// KeptList is List, but takes the rows from Kept if an earlier transaction of the connection has
// run the same query. Its arguments are strings and lists of strings. The result must not be
// changed.
func KeptList[T any](ctx context.Context, r Reader, scan func(Row) (T, error), text string, args ...any) ([]T, error) {
	kept, err := r.Kept(ctx)
	if err != nil {
		return nil, err
	}
	if kept == nil {
		return List(ctx, r, scan, text, args...)
	}
	query := keptQuery{text, keyOf(args)}
	if list, ok := kept.lists[query]; ok {
		return list.([]T), nil
	}
	list, err := List(ctx, r, scan, text, args...)
	if err == nil {
		kept.put(query, list, len(list))
	}
	return list, err
}

// keyOf returns the arguments of a query as one unambiguous text.
func keyOf(args []any) string {
	var key []byte
	add := func(text string) {
		key = strconv.AppendInt(key, int64(len(text)), 10)
		key = append(append(key, ':'), text...)
	}
	for _, arg := range args {
		switch v := arg.(type) {
		case string:
			add(v)
		case []string:
			key = append(strconv.AppendInt(key, int64(len(v)), 10), '*')
			for _, text := range v {
				add(text)
			}
		default:
			panic(fmt.Sprintf("sqlcommon: an argument of KeptList has the type %T", arg))
		}
	}
	return string(key)
}
