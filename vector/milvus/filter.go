package milvus

import (
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"mneme/acl"
)

// maxStores is how many stores one search names. Milvus walks a list of them
// for every row, and a filter of 500 stays within some 10 kB.
const maxStores = 500

// filters are the expressions that together select exactly what the scope
// allows: one, unless it has very many stores. Each names its stores once for
// Milvus to choose partitions by, and then for each highest label the stores
// that have it.
//
// SECURITY: every search goes through here. Expressions are text, so nothing
// but numbers and UUIDs is ever put into one.
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
		highest := highest(access)
		byLabel[highest] = append(byLabel[highest], access.Number)
	}
	var groups []string
	for label, stores := range byLabel {
		if len(stores) > 0 {
			groups = append(groups, "("+inStores(stores)+" and "+fieldLabel+" <= "+strconv.Itoa(label)+")")
		}
	}
	expression := inStores(all) + " and (" + strings.Join(groups, " or ") + ")"
	if only != nil {
		expression += " and " + inEntries(only)
	}
	return expression
}

// highest is the highest label that an access sees, 0 for none.
func highest(access acl.Access) acl.Label {
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

// inRows selects rows by their primary keys, as rowID makes them.
func inRows(ids []string) string { return inTexts(fieldID, ids) }

func inTexts(field string, texts []string) string {
	return field + ` in ["` + strings.Join(texts, `","`) + `"]`
}

// rowID is the primary key of a chunk: the entry's UUID, a colon and the
// chunk's number, so that an entry's rows lie side by side in key order.
func rowID(entry uuid.UUID, chunk int) string { return entry.String() + ":" + strconv.Itoa(chunk) }

// entryOf reads the entry of a row's key.
func entryOf(row string) (uuid.UUID, error) {
	entry, _, _ := strings.Cut(row, ":")
	return uuid.Parse(entry)
}
