package sqlcommon

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Table has the statements of a table that is read and written by whole rows. Arguments
// and scanned columns have the order of its columns.
type Table struct {
	Select string // begins a query: WHERE or ORDER BY follows
	Insert string // inserts a row and changes nothing on a conflict
	Upsert string // inserts a row or replaces the one with its key
	Add    string // inserts a row or adds its numbers to those of the one with its key
}

// NewTable returns the statements of a table. key, of the columns of the primary key, and
// columns are lists with commas.
func NewTable(name, key, columns string) Table {
	list := strings.Split(columns, ", ")
	values := make([]string, len(list))
	for i := range list {
		values[i] = "$" + strconv.Itoa(i+1)
	}
	insert := "INSERT INTO " + name + " (" + columns + ") VALUES (" + strings.Join(values, ", ") + ")"
	update := insert + " ON CONFLICT (" + key + ") DO UPDATE SET "
	return Table{
		Select: "SELECT " + columns + " FROM " + name + " ",
		Insert: insert + " ON CONFLICT DO NOTHING",
		Upsert: update + assignments(list, key, "excluded.%[1]s"),
		Add:    update + assignments(list, key, name+".%[1]s + excluded.%[1]s"),
	}
}

// assignments lists assignments of a value to the columns outside the key.
func assignments(columns []string, key, value string) string {
	inKey := strings.Split(key, ", ")
	var list []string
	for _, column := range columns {
		if !slices.Contains(inKey, column) {
			list = append(list, column+" = "+fmt.Sprintf(value, column))
		}
	}
	return strings.Join(list, ", ")
}
