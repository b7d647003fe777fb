package milvus

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/vector"
)

// maxStores is the maximum number of stores in one filter. Milvus goes through the list of
// stores for every row, and a filter with 500 stores has some 10 kB.
const maxStores = 500

// filters returns filter expressions that together select exactly what the scope allows: one
// expression, unless the scope has more than maxStores stores. Each expression first lists all
// of its stores: Milvus selects partitions by this list. If the stores differ in their highest
// label, it then lists the stores of each label.
//
// SECURITY: these filters restrict every search to the scope. Expressions are text and are
// not escaped, so they contain numbers and UUIDs only.
func filters(scope acl.Scope, only []uuid.UUID) []string {
	accesses := slices.DeleteFunc(scope.Indexed(), func(a acl.Access) bool { return !a.Sees(acl.Public) })
	var list []string
	for part := range slices.Chunk(accesses, maxStores) {
		list = append(list, filter(part, only))
	}
	return list
}

func filter(accesses []acl.Access, only []uuid.UUID) string {
	all := make([]int64, len(accesses))
	var byLabel [acl.Restricted + 1][]int64
	for i, access := range accesses {
		all[i] = access.Number
		label := highestLabel(access)
		byLabel[label] = append(byLabel[label], access.Number)
	}
	var groups []string
	for label, stores := range byLabel {
		within := fieldLabel + " <= " + strconv.Itoa(label)
		switch len(stores) {
		case 0:
		case len(all):
			groups = append(groups, within)
		default:
			groups = append(groups, "("+inStores(stores)+" and "+within+")")
		}
	}
	expression := inStores(all) + " and (" + strings.Join(groups, " or ") + ")"
	if only != nil {
		expression += " and " + inEntries(only)
	}
	return expression
}

// highestLabel returns the highest label that an access may read, 0 for none.
func highestLabel(access acl.Access) acl.Label {
	for label := acl.Restricted; label >= acl.Public; label-- {
		if access.Sees(label) {
			return label
		}
	}
	return 0
}

func inStores(stores []int64) string {
	texts := make([]string, len(stores))
	for i, n := range stores {
		texts[i] = strconv.FormatInt(n, 10)
	}
	return fieldStore + " in [" + strings.Join(texts, ",") + "]"
}

func inEntries(entries []uuid.UUID) string {
	texts := make([]string, len(entries))
	for i, id := range entries {
		texts[i] = id.String()
	}
	return inTexts(fieldEntry, texts)
}

// inRows selects rows by their primary keys (see rowID).
func inRows(ids []string) string { return inTexts(fieldID, ids) }

func inTexts(field string, texts []string) string {
	return field + ` in ["` + strings.Join(texts, `","`) + `"]`
}

// rowID returns the primary key of a record: the entry's UUID, the chunk's number and the
// record's digest in hexadecimal, separated by colons. In the order of keys, the rows of an
// entry are adjacent.
//
// With the digest, rows with different contents have different keys. Milvus may apply a write
// of a killed process after later writes of other processes, and it returns only one of several
// rows with the same key. If keys had only entry and chunk, a delete that is applied late would
// remove the new row, and an insert that is applied late would hide it.
func rowID(r vector.Record) string {
	return fmt.Sprintf("%s:%d:%016x", r.Entry, r.Chunk, r.Digest())
}

// parseRowID returns the parts of a row's primary key. The digest is 0 if the key was written
// by an older version of mneme, which had keys without digests.
func parseRowID(id string) (entry uuid.UUID, chunk int, digest uint64, err error) {
	name, rest, _ := strings.Cut(id, ":")
	if entry, err = uuid.Parse(name); err != nil {
		return uuid.UUID{}, 0, 0, err
	}
	number, hexadecimal, current := strings.Cut(rest, ":")
	if chunk, err = strconv.Atoi(number); err == nil && current {
		digest, err = strconv.ParseUint(hexadecimal, 16, 64)
	}
	return entry, chunk, digest, err
}
