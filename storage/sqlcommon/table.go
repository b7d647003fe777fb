package sqlcommon

import (
	"strconv"
	"strings"
)

// Table is a table that is read and written by whole rows.
type Table struct {
	Name    string
	Key     string   // the columns of the primary key
	Columns []string // in the order of arguments and scanned columns
}

// NewTable returns a table. key and columns are lists with commas.
func NewTable(name, key, columns string) Table {
	return Table{Name: name, Key: key, Columns: strings.Split(columns, ", ")}
}

// Select begins a query: WHERE or ORDER BY follows.
func (t Table) Select() string {
	return "SELECT " + strings.Join(t.Columns, ", ") + " FROM " + t.Name + " "
}

// insert is an INSERT without what happens on a conflict.
func (t Table) insert() string {
	var b strings.Builder
	b.WriteString("INSERT INTO " + t.Name + " (" + strings.Join(t.Columns, ", ") + ") VALUES (")
	for i := range t.Columns {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("$" + strconv.Itoa(i+1))
	}
	return b.String() + ")"
}

// Insert is a statement that inserts a row and changes nothing on a conflict.
func (t Table) Insert() string { return t.insert() + " ON CONFLICT DO NOTHING" }

// Upsert is a statement that inserts a row or replaces the one with its key.
func (t Table) Upsert() string {
	return t.insert() + " ON CONFLICT (" + t.Key + ") DO UPDATE SET " +
		t.assignments(func(column string) string { return "excluded." + column })
}

// Add is a statement that inserts a row or adds its numbers to those of the one with
// its key.
func (t Table) Add() string {
	return t.insert() + " ON CONFLICT (" + t.Key + ") DO UPDATE SET " +
		t.assignments(func(column string) string { return t.Name + "." + column + " + excluded." + column })
}

// assignments lists assignments to the columns outside the key.
func (t Table) assignments(value func(column string) string) string {
	key := ", " + t.Key + ","
	var list []string
	for _, column := range t.Columns {
		if !strings.Contains(key, " "+column+",") {
			list = append(list, column+" = "+value(column))
		}
	}
	return strings.Join(list, ", ")
}
