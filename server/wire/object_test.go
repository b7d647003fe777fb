package wire_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mneme/server/wire"
)

func TestObjectsAreReadStrictly(t *testing.T) {
	var many strings.Builder // 10,001 members
	for n := range 10_001 {
		fmt.Fprintf(&many, `,"%d":0`, n)
	}
	tests := []struct {
		rule, text string
		want       error
	}{
		{"an object", ` {"a": 1, "b": {"a": [ 2 ]}} `, nil},
		{"an empty object", `{}`, nil},
		{"the same name in a nested object", `{"a":{"a":1,"a":2}}`, nil},
		{"a name given twice", `{"a":1,"a":2}`, wire.ErrTwice},
		{"a name given twice, once escaped", `{"a":1,"\u0061":2}`, wire.ErrTwice},
		{"more fields than any object has", "{" + many.String()[1:] + "}", wire.ErrTooMany},
		{"an array", `[]`, wire.ErrNotObject},
		{"null", `null`, wire.ErrNotObject},
		{"nothing", ``, wire.ErrSyntax},
		{"a truncated object", `{"a":`, wire.ErrSyntax},
		{"a trailing comma", `{"a":1,}`, wire.ErrSyntax},
		{"a name that is not a string", `{1:2}`, wire.ErrSyntax},
		{"a second object", `{}{}`, wire.ErrTrailing},
		{"trailing text", `{} x`, wire.ErrTrailing},
		{"invalid UTF-8", "{\"a\":\"\xff\"}", wire.ErrUTF8},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			if _, err := wire.Members([]byte(test.text)); !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
}

func TestMembersReturnsValuesByteForByte(t *testing.T) {
	text := []byte(" { \"a\\u0062\" : \"}\\\"\" ,\t\"b\":[ [], {\"]\":1} ] ,\"c\":-1.5e3\n,\"\":null, \"t\":true} ")
	members, err := wire.Members(text)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range members {
		got = append(got, m.Name+"="+string(m.Value))
		_ = append(m.Value, "overwritten"...)
	}
	if want := []string{`ab="}\""`, `b=[ [], {"]":1} ]`, `c=-1.5e3`, `=null`, `t=true`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLoneSurrogatesAreDetected(t *testing.T) {
	for text, want := range map[string]bool{
		`"plain"`: false, `"\ud83d\ude00"`: false, `"\uD83D\uDE00x"`: false, `"\\ud800"`: false, `"\n\u0041"`: false,
		`"\ud800"`: true, `"\udc00"`: true, `"\ud800\u0041"`: true, `"\ud800x"`: true, `"\ud800\ud800"`: true, `"\\\ud800"`: true,
	} {
		if got := wire.LoneSurrogate([]byte(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func FuzzMembersAgreeWithEncodingJSON(f *testing.F) {
	f.Add([]byte(`{"a":1,"b":[{"c":"\ud83d\ude00"}]}`))
	f.Add([]byte(`{"a":1,"a":2}`))
	f.Add([]byte(" { \"a\\\\\" : \"}\\\"\" ,\t\"b\":[[], {}] ,\"c\":-1.5e3\n,\"\":null }"))
	f.Fuzz(func(t *testing.T, text []byte) {
		wire.LoneSurrogate(text)
		members, err := wire.Members(text)
		if err != nil {
			return
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal(text, &want); err != nil || len(want) != len(members) {
			t.Fatalf("%d members, encoding/json has %d (%v)", len(members), len(want), err)
		}
		for _, m := range members {
			if string(want[m.Name]) != string(m.Value) {
				t.Fatal("a value differs")
			}
		}
	})
}
