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

// maxStores is the maximum number of stores in one filter. Milvus evaluates the
// list linearly for every row, and a filter of 500 stores takes some 10 kB.
const maxStores = 500

// filters returns filter expressions that together select exactly what the scope allows:
// one, unless the scope has very many stores. Each expression lists all its stores once,
// from which Milvus selects partitions, and then, if their highest labels differ, the
// stores of each label.
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
// record's digest in hexadecimal, separated by colons. An entry's rows are adjacent in key
// order.
//
// The digest gives different contents different keys. Milvus may apply a write of a killed
// process after later writes of others, and it returns only one of several rows with the
// same key: with keys of chunks alone a late delete would remove the new row, and a late
// insert would be hidden by it.
func rowID(r vector.Record) string {
	return fmt.Sprintf("%s:%d:%016x", r.Entry, r.Chunk, r.Digest())
}

// parseRowID returns the parts of a row's primary key. The digest is 0 in keys written by
// versions of mneme without digests.
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
