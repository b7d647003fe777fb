package condition

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A value's members are found as encoding/json finds them.
func TestMembersMatchTheDecodedValue(t *testing.T) {
	text := rapid.StringOfN(rapid.SampledFrom([]rune(`ab"\,:{}[] é`)), 0, 12, -1)
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		leaf := rapid.OneOf(rapid.Map(text, func(s string) any { return s }), rapid.Map(rapid.Int(), func(n int) any { return n }),
			rapid.SampledFrom([]any{true, false, nil}))
		if depth == 0 {
			return leaf
		}
		return rapid.OneOf(leaf,
			rapid.Map(rapid.SliceOfN(value(depth-1), 0, 3), func(list []any) any { return list }),
			rapid.Map(rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", `"`, `\`, "é"}), value(depth-1), 0, 4), func(m map[string]any) any { return m }))
	}
	rapid.Check(t, func(t *rapid.T) {
		whole := map[string]any{"a": value(3).Draw(t, "a"), "b": value(3).Draw(t, "b"), `\"`: value(2).Draw(t, "other")}
		encoded, err := json.Marshal(whole)
		if err != nil {
			t.Fatal(err)
		}
		tree, count := &members{index: -1}, 0
		for _, path := range [][]string{{"a"}, {"b"}, {"b", "a"}, {`\"`}} {
			tree.add(path, &count)
		}
		found := tree.find(encoded, count)
		wanted := [][]any{{whole["a"]}, {whole["b"]}, membersOf(whole["b"], "a"), {whole[`\"`]}}
		for i, want := range wanted {
			if len(found[i]) != len(want) {
				t.Fatalf("path %d: %d values, want %d", i, len(found[i]), len(want))
			}
			for j := range want {
				encoded, err := json.Marshal(want[j])
				if err != nil {
					t.Fatal(err)
				}
				if string(found[i][j]) != string(encoded) {
					t.Fatalf("path %d: %s, want %s", i, found[i][j], encoded)
				}
			}
		}
	})
}

// membersOf returns the members of a name of an object, or of the objects in an array.
func membersOf(value any, name string) (found []any) {
	switch v := value.(type) {
	case map[string]any:
		if member, ok := v[name]; ok {
			found = append(found, member)
		}
	case []any:
		for _, element := range v {
			found = append(found, membersOf(element, name)...)
		}
	}
	return found
}

func TestTheLastOfMembersWithOneNameCounts(t *testing.T) {
	for condition, want := range map[string]bool{
		`{"value.a.b":{"eq":1}}`:          false,
		`{"value.a.b":{"eq":2}}`:          true,
		`{"value.a.b":{"eq":3}}`:          true,
		`{"value.a.c.d":{"exists":true}}`: false,
	} {
		where, err := Parse([]byte(condition))
		if err != nil {
			t.Fatal(err)
		}
		entry := Entry{Value: []byte(`{"a":[{"b":1,"c":{"d":1},"b":2,"c":{}},{"b":3}]}`)}
		if where.Fits(&entry) != want {
			t.Errorf("%s: %t", condition, !want)
		}
	}
}

// BenchmarkLongValues finds a member of values of 91 kB.
func BenchmarkLongValues(b *testing.B) {
	var numbers []string
	for i := range 15_000 {
		numbers = append(numbers, fmt.Sprint(i))
	}
	for _, c := range []struct{ name, value string }{
		{"prose", `{"n":1,"text":"` + strings.Repeat("a garden in the evening light\\n", 2500) + `"}`},
		{"numbers", `{"n":1,"list":[` + strings.Join(numbers, ",") + `]}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			where, err := Parse([]byte(`{"value.n":{"eq":2}}`))
			if err != nil {
				b.Fatal(err)
			}
			entry := Entry{Value: []byte(c.value)}
			b.SetBytes(int64(len(c.value)))
			for b.Loop() {
				where.Fits(&entry)
			}
		})
	}
}
