package storagetest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"mneme/acl"
	"mneme/internal/condition"
	"mneme/memory"
	"mneme/storage"
)

// Values of random entries, with which random conditions also compare. They are few, so that
// some conditions match.
var (
	whereTexts   = []string{"", "a", "ab", "B", "b", "é", "ß", "a%", "_", `\`, `"`, "'", "\U0010ffff", "user", "1", "true"}
	whereNames   = []string{"a", "ab", "a%b", "B", "b", "é", "_", "\U0010ffff", "\U0010ffffb", "'"}
	whereTypes   = []string{"", "user", "project"}
	whereNumbers = []string{
		"0", "-0", "0.0", "1", "1.0", "10e-1", "-1", "2", "1.5", "15e-1", "100", "1e2", "1e400", "-1e400", "1e-400",
		"12345678901234567890", "12345678901234567891", "0.1", "0.10000000000000000001",
	}
	whereTimes = []string{
		"2030-05-17T12:00:00Z", "2030-05-17", "2030-05-18", "2030-05-17T14:00:00+02:00", "2030-05-17T12:00:00.000001Z",
		"2030-05-17T12:00:00.0000019Z", "0001-01-01", "9999-12-31T23:59:59Z", "now", "now-1d", "now+2h",
		"2030", "2029", "2030-05", "2030-04", "0001", "9999", "9999-12-31", "2030-05-17T12:00", "2030-05-17T14:00:00", "2030-05-17T00:00",
	}
	// whereZones are the time zones in which conditions read dates and local times.
	whereZones   = []*time.Location{time.UTC, time.FixedZone("east", 14*3600), time.FixedZone("west", -12*3600)}
	whereMembers = []string{"a", "b", "a.b", "a.b.a", "é", `"`}
	// whereValues are values beyond those of drawValue: different spellings of equal values,
	// and values that databases cannot store as JSON.
	whereValues = []string{
		`{"a":1,"a":2}`, `{"a":{"b":1},"a":3}`, `{"\u0061":1}`, ` { "a" : [ 1 , "a" , null , [ "b" ] ] } `, `{"a":"\u0000"}`,
		`{"a":"\ud800"}`, `{"a":1e99999999999999999999}`, `{"a":"\u00e9"}`, `{"":1}`, `{"a.b":1}`, `[{"a":1}]`, `{"a":{}}`, `{"a":null}`,
		`{"a":"b\"}","b":1}`, `{}`, `"a"`, `null`,
	}
)

func oneOf(r *rapid.T, name string, from []string) string {
	return rapid.SampledFrom(from).Draw(r, name)
}

// drawValue draws a JSON value of nested objects and arrays.
func drawValue(r *rapid.T, depth int) string {
	kinds := 5
	if depth > 0 {
		kinds = 8
	}
	switch rapid.IntRange(0, kinds).Draw(r, "kind of value") {
	case 0, 1:
		return string(text(oneOf(r, "text", whereTexts)))
	case 2, 3:
		return oneOf(r, "number", whereNumbers)
	case 4:
		return oneOf(r, "word", []string{"true", "false", "null"})
	case 5:
		return oneOf(r, "value", whereValues)
	case 6:
		return "[" + drawValue(r, depth-1) + "," + drawValue(r, depth-1) + "]"
	default:
		return `{"a":` + drawValue(r, depth-1) + `, "b" : ` + drawValue(r, depth-1) + `}`
	}
}

// drawWhere draws a condition as JSON.
func drawWhere(r *rapid.T, depth int) any {
	kinds := 5
	if depth > 0 {
		kinds = 9
	}
	switch rapid.IntRange(0, kinds).Draw(r, "kind of condition") {
	case 6:
		return map[string]any{"not": drawWhere(r, depth-1)}
	case 7, 8:
		return map[string]any{oneOf(r, "junction", []string{"and", "or"}): []any{drawWhere(r, depth-1), drawWhere(r, depth-1)}}
	case 9:
		return map[string]any{"or": []any{drawWhere(r, depth-1)}, "not": drawWhere(r, depth-1)}
	}
	field := rapid.SampledFrom(condition.Fields()).Draw(r, "field")
	if rapid.IntRange(0, 4).Draw(r, "of the value") == 0 {
		field.Field = condition.Value
	}
	operators, operand := field.Operators, func() any { return oneOf(r, "text", whereTexts) }
	switch field.Operand { //nolint:exhaustive // the others are compared with texts
	case condition.BoolType:
		operand = func() any { return rapid.Bool().Draw(r, "bool") }
	case condition.LabelType:
		operand = func() any { return oneOf(r, "label", []string{"PUBLIC", "INTERNAL", "CONFIDENTIAL", "RESTRICTED"}) }
	case condition.TimeType:
		operand = func() any { return oneOf(r, "time", whereTimes) }
	}
	switch field.Field { //nolint:exhaustive // the operands of the others follow from their types
	case condition.Tags:
		operand = func() any { return oneOf(r, "tag", []string{"a", "é", "b", "%"}) }
	case condition.EntryType:
		operand = func() any { return oneOf(r, "type", condition.EntryTypes) }
	case condition.Value:
		return drawValueLeaf(r)
	}
	return drawLeaf(r, string(field.Field), rapid.SampledFrom(operators).Draw(r, "operator"), operand)
}

// drawValueLeaf draws a condition on a member of values.
func drawValueLeaf(r *rapid.T) any {
	operand := func() any { return oneOf(r, "text", whereTexts) }
	operators := []condition.Operator{"eq", "ne", "in", "nin", "gt", "gte", "lt", "lte", "exists", "contains", "prefix"}
	switch rapid.IntRange(0, 3).Draw(r, "operand") {
	case 0:
		operand, operators = func() any { return rapid.Bool().Draw(r, "bool") }, []condition.Operator{"eq", "ne", "in", "nin", "contains"}
	case 1, 2:
		operand, operators = func() any { return json.Number(oneOf(r, "number", whereNumbers)) }, operators[:10]
	}
	return drawLeaf(r, "value."+oneOf(r, "path", whereMembers), rapid.SampledFrom(operators).Draw(r, "operator"), operand)
}

func drawLeaf(r *rapid.T, field string, operator condition.Operator, operand func() any) any {
	value := any(rapid.Bool().Draw(r, "exists"))
	switch operator {
	case "exists":
	case "in", "nin":
		value = []any{operand(), operand()}
	case "prefix", "contains":
		if value = operand(); value == "" {
			value = "a"
		}
	default:
		value = operand()
	}
	return map[string]any{field: map[condition.Operator]any{operator: value}}
}

var wheres = []clause{
	{"Matching returns the entries that fit a condition", func(f *fixture) {
		var rows []memory.Entry
		reaches := []reach{{"a", acl.Internal}, {"b", acl.Restricted}}
		rapid.Check(f, func(r *rapid.T) {
			var added []memory.Entry
			for range 10 {
				added = append(added, drawEntry(r, len(rows)+len(added)))
			}
			if len(rows) < 150 {
				f.put(added...)
				rows = append(rows, added...)
			}
			text, err := json.Marshal(drawWhere(r, 3))
			if err != nil {
				r.Fatal(err)
			}
			where, err := condition.Parse(text)
			if err != nil {
				r.Fatalf("%s: %v", text, err)
			}
			filter := memory.Filter{Where: where.At(start, rapid.SampledFrom(whereZones).Draw(r, "zone"))}
			if rapid.Bool().Draw(r, "with a tag") {
				filter.Tags = []string{oneOf(r, "tag", []string{"a", "é"})}
			}
			checkMatching(f.ctx, r, f.storage, f.scope(reaches...), reaches, filter, rows, string(text))
		})
	}},

	{"Matching stops at its limit when it reads values", func(f *fixture) {
		var all []memory.Entry
		for i := range 1200 {
			all = append(all, entry("a", fmt.Sprint(i), func(e *memory.Entry) { e.Value = json.RawMessage(fmt.Sprintf(`{"n":%d}`, i)) }))
		}
		f.put(all...)
		scope := f.scope(reach{"a", acl.Public})
		for _, c := range []struct {
			limit, want int
			more        bool
		}{{1100, 1100, false}, {1099, 0, true}, {10, 0, true}} {
			f.view(func(tx memory.ReadTx) error {
				ids, more, err := tx.Matching(f.ctx, scope, whereFilter(f, `{"value.n":{"lt":1100}}`), nil, c.limit)
				f.equal([]any{len(ids), more}, []any{c.want, c.more})
				f.ok(err)
				found, _, err := tx.Matching(f.ctx, scope, whereFilter(f, `{"value.n":{"eq":1}}`), nil, c.limit) // the transaction continues
				f.equal(found, []uuid.UUID{all[1].ID})
				return err
			})
		}
	}},
}

func whereFilter(t testing.TB, text string) memory.Filter {
	t.Helper()
	where, err := condition.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return memory.Filter{Where: where.At(start, time.UTC)}
}

// checkMatching evaluates the filter on each of rows, which are all entries of the storage.
// Matching must return the same entries, both without ids and with the ids of all of them.
func checkMatching(ctx context.Context, t rapid.TB, s storage.Storage, scope acl.Scope, reaches []reach, filter memory.Filter, rows []memory.Entry, what string) {
	searchable := condition.All(filter.Where, condition.Compare(condition.Encrypted, condition.Eq, condition.Bool(false)))
	for _, filter := range []memory.Filter{filter, {Where: searchable, Tags: filter.Tags}} {
		var want []uuid.UUID
		where := filter.Condition()
		for _, e := range rows {
			if fields := e.Fields(); contains(reaches, e) && e.InContext && where.Fits(&fields) {
				want = append(want, e.ID)
			}
		}
		for _, ids := range [][]uuid.UUID{nil, idsOf(rows...)} {
			err := s.View(ctx, func(tx memory.ReadTx) error {
				found, more, err := tx.Matching(ctx, scope, filter, ids, len(rows))
				if got := sorted(found); err != nil || more || !slices.Equal(got, sorted(want)) {
					t.Errorf("%s: found %d (%v, more: %v), want %d", what, len(found), err, more, len(want))
					for _, e := range rows {
						if slices.Contains(want, e.ID) != slices.Contains(got, e.ID) {
							t.Errorf("wanted %v: %+v %s", slices.Contains(want, e.ID), e, e.Value)
						}
					}
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// FuzzWhere checks, over fixed entries in a storage, that any text that parses as a condition
// matches the same entries as its evaluation in Go.
func FuzzWhere(f *testing.F, open func(t testing.TB) storage.Storage) {
	for _, seed := range []string{
		`{"updated_at":{"gte":"2030-05-01"},"tags":{"contains":"a"}}`, `{"or":[{"value.a":{"gt":1}},{"not":{"value.a.b":{"in":["a","b"]}}}]}`,
		`{"key":{"prefix":"a","contains":"b"},"expires_at":{"exists":false}}`, `{"value.a":{"eq":1e9999}}`, `{"namespace":{"lt":"\ufffd"}}`,
		`{"created_at":{"lt":"0000-01-01T00:00:00+23:59"}}`, `{"occurred_at":{"in":["2030","2030-05-17T00:00"],"nin":["0000","9999-12-31"]}}`,
		`{"occurred_at":{"ne":"2030-05-17"},"updated_at":{"lte":"2030-05"},"expires_at":{"gt":"9999"}}`, `{"label":{"nin":["PUBLIC","RESTRICTED"]},"type":{"ne":"user"}}`,
	} {
		f.Add(seed)
	}
	s := open(f)
	f.Cleanup(func() { _ = s.Close() })
	random := rapid.Custom(func(r *rapid.T) memory.Entry { return drawEntry(r, rapid.IntRange(0, 1<<30).Draw(r, "number")) })
	var rows []memory.Entry
	for i := range 80 {
		rows = append(rows, random.Example(i))
	}
	ctx := context.Background()
	if err := s.Update(ctx, func(tx memory.Tx) error { return put(ctx, tx, rows...) }); err != nil {
		f.Fatal(err)
	}
	reaches := []reach{{"a", acl.Internal}, {"b", acl.Restricted}}
	f.Fuzz(func(t *testing.T, text string) {
		where, err := condition.Parse([]byte(text))
		if err != nil {
			return
		}
		scope := scopeOf(t, s, reaches...)
		for _, zone := range whereZones {
			checkMatching(ctx, t, s, scope, reaches, memory.Filter{Where: where.At(start, zone)}, rows, text)
		}
	})
}
