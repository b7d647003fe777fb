package wire_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"mneme/acl"
	"mneme/memory"
	"mneme/search"
	"mneme/server/problem"
	"mneme/server/wire"
)

func TestRulesDecideWhatAnObjectMayContain(t *testing.T) {
	strict := wire.Rules{}
	tolerant := wire.Rules{IgnoreUnknown: true, NullIsAbsent: true}
	tool := wire.Rules{NullIsAbsent: true, WholeFloats: true, JSONText: true}
	for _, c := range []struct {
		text  string
		rules wire.Rules
		want  string // the decoded fields, or the error
	}{
		{`{"n":1,"s":"x","l":["a"],"r":{"a" : 1}}`, strict, `1 x [a] {"a" : 1} [l n r s]`},
		{`{"r":null}`, strict, `0  [] null [r]`},
		{`{"s":null}`, strict, "s: must not be null"},
		{`{"l":["a",null]}`, strict, "l: must not be null"},
		{`{"l":["a",null]}`, tolerant, `0  [a ]  [l]`},
		{`{"s":null,"n":null,"r":null}`, tolerant, `0  [] null [r]`},
		{`{"x":1}`, tolerant, `0  []  []`},
		{`{"x":1}`, strict, "x: unknown field"},
		{`{"S":"x"}`, strict, "S: unknown field"},
		{`{"n":6e1}`, tool, `60  []  [n]`},
		{`{"n":6e1}`, strict, "n: must be an integer"},
		{`{"n":1.5}`, tool, "n: must be an integer"},
		{`{"n":1e99}`, tool, `9007199254740992  []  [n]`},
		{`{"s":"\ud800"}`, tolerant, "s: must not contain an unpaired surrogate"},
		{`{"s":1}`, tolerant, "s: must be a string"},
		{`{"l":"a"}`, tolerant, "l: must be an array of strings"},
		{`{"l":"[\"a\"]"}`, tolerant, "l: must be an array of strings"},
		{`{"l":" [\"a\", \"b\"] "}`, tool, `0  [a b]  [l]`},
		{`{"l":"[1]"}`, tool, "l: must be an array of strings"},
		{`{"l":"a,b"}`, tool, "l: must be an array of strings"},
		{`{"l":"[\"a\"] x"}`, tool, "l: must be an array of strings"},
		{`{"l":"[\"\\ud800\"]"}`, tool, "l: must not contain an unpaired surrogate"},
		{`{"s":"[1]","r":"[1]"}`, tool, `0 [1] [] "[1]" [r s]`},
		{`{"s":"a","s":"b"}`, tolerant, wire.ErrTwice.Error()},
		{`[]`, tolerant, wire.ErrNotObject.Error()},
	} {
		var n int
		var s string
		var l []string
		var r json.RawMessage
		given, err := c.rules.Decode([]byte(c.text), map[string]any{"n": &n, "s": &s, "l": &l, "r": &r})
		var names []string
		for _, name := range []string{"l", "n", "r", "s"} {
			if given[name] {
				names = append(names, name)
			}
		}
		got := fmt.Sprintf("%d %s %v %s %v", n, s, l, r, names)
		var field *wire.FieldError
		switch {
		case errors.As(err, &field):
			got = field.Name + ": " + field.Error()
		case err != nil:
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.text, got, c.want)
		}
	}
}

// Decoding ten megabytes of arrays once took a gigabyte of memory.
func TestDecodedArraysHaveABoundedLength(t *testing.T) {
	long := func(element string) string {
		return "[" + strings.Repeat(element+",", 10_000_000/(len(element)+1)-1) + element + "]"
	}
	for name, c := range map[string]struct{ text, want string }{
		"objects":                 {`{"o":` + long("{}") + `}`, "10001 objects"},
		"numbers among objects":   {`{"o":` + long("0") + `}`, "o[0]: must be an object"},
		"texts":                   {`{"l":` + long(`""`) + `}`, "10001 texts"},
		"numbers among texts":     {`{"l":` + long("0") + `}`, "l: must be an array of strings"},
		"an array for a text":     {`{"s":` + long("0") + `}`, "s: must be a string"},
		"an array within objects": {`{"o":[{"l":` + long(`""`) + `}]}`, "10001 texts"},
	} {
		t.Run(name, func(t *testing.T) {
			var into struct {
				S string   `json:"s,omitempty"`
				L []string `json:"l,omitempty"`
				O []struct {
					L []string `json:"l,omitempty"`
				} `json:"o,omitempty"`
			}
			text := []byte(c.text)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := wire.Rules{}.DecodeStruct(text, &into)
			runtime.ReadMemStats(&after)
			got := fmt.Sprintf("%d objects", len(into.O))
			var field *wire.FieldError
			switch {
			case errors.As(err, &field):
				got = field.Name + ": " + field.Error()
			case err != nil:
				got = err.Error()
			case len(into.O) == 1:
				got = fmt.Sprintf("%d texts", len(into.O[0].L))
			case into.L != nil:
				got = fmt.Sprintf("%d texts", len(into.L))
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 200 { // MB; the text is copied a few times
				t.Errorf("%d MB for %d MB of text", used, len(text)>>20)
			}
		})
	}
}

func TestTheFirstElementsOfAnArray(t *testing.T) {
	for text, want := range map[string]string{
		`[1,[2,2],{"a":3,"b":[3]},4]`: `[1,[2,2],{"a":3,"b":[3]}]`,
		`[ "a,b\\" , "]\"," , 3,4,5]`: `[ "a,b\\" , "]\"," , 3]`,
		`[1,2,3]`:                     `[1,2,3]`,
		`[[1,2,3,4,5,6]]`:             `[[1,2,3,4,5,6]]`,
		`[]`:                          `[]`,
		`"[1,2,3,4,5]"`:               `"[1,2,3,4,5]"`,
		`{"a":[1,2,3,4,5]}`:           `{"a":[1,2,3,4,5]}`,
	} {
		given := json.RawMessage(text)
		if got := wire.FirstElements(given, 3); string(got) != want || string(given) != text {
			t.Errorf("of %s: %s, want %s", given, got, want)
		}
	}
}

func TestMediaTypes(t *testing.T) {
	for given, want := range map[string][2]bool{ // strict, tolerant
		"application/json":                     {true, true},
		"application/json; charset=utf-8":      {true, true},
		`Application/JSON;charset="UTF-8"`:     {true, true},
		"application/json; charset=latin1":     {false, false},
		"application/json; profile=x":          {false, true},
		"text/plain":                           {false, false},
		"application/json; charset=utf-8; a=b": {false, true},
		"nonsense;":                            {false, false},
	} {
		for i, strict := range []bool{true, false} {
			r := httptest.NewRequest(http.MethodPost, "/", nil)
			r.Header.Set("Content-Type", given)
			if err := wire.CheckMediaType(r, strict, wire.ContentJSON); (err == nil) != want[i] {
				t.Errorf("%s, strict %v: %v", given, strict, err)
			}
		}
	}
}

func TestBodiesAreBounded(t *testing.T) {
	for length, tooLarge := range map[int]bool{10: false, 11: true} {
		_, err := wire.ReadBody(httptest.NewRequest(http.MethodPost, "/", strings.NewReader(strings.Repeat("x", length))), 10)
		if errors.Is(err, wire.ErrBodyTooLarge) != tooLarge || tooLarge && problem.From(err).Status != 413 {
			t.Errorf("%d bytes: %v", length, err)
		}
	}
}

// SECURITY: for every surface, HitOf decides which fields of a hit a caller with level
// search sees.
func TestHitOfASearchOnlyStoreHasNoEntry(t *testing.T) {
	h := search.Hit{Entry: memory.Entry{Owner: "owner", UpdatedAt: time.Unix(1, 0), Label: acl.Public}, Score: 2, Relevance: 1}
	for level, readable := range map[acl.Level]bool{acl.Search: false, acl.Read: true, acl.ReadWrite: true} {
		h.Level = level
		if got := wire.HitOf(&h); (got.Entry != nil) != readable || got.Score != 2 || got.Relevance != 1 {
			t.Errorf("level %v: got %+v", level, got)
		}
	}
}

func TestListPutsItsTailAfterItsItems(t *testing.T) {
	items := 2
	each := func(tail any) func(func([]byte) error) (any, error) {
		return func(item func([]byte) error) (any, error) {
			for n := range items {
				text, err := wire.WithValue(map[string]int{"n": n + 1}, []byte(`{ "<" : 1.0 }`))
				if err != nil {
					return nil, err
				}
				if err := item(text); err != nil {
					return nil, err
				}
			}
			return tail, nil
		}
	}
	for want, tail := range map[string]any{
		`{"items":[{"n":1,"value":{ "<" : 1.0 }},{"n":2,"value":{ "<" : 1.0 }}],"next":"x"}`: struct {
			Next string `json:"next"`
		}{"x"},
		`{"items":[{"n":1,"value":{ "<" : 1.0 }},{"n":2,"value":{ "<" : 1.0 }}]}`: struct{}{},
	} {
		var got strings.Builder
		if err := wire.List(&got, "items", each(tail)); err != nil || got.String() != want {
			t.Errorf("got %s, %v", got.String(), err)
		}
	}
	items = 0
	var got strings.Builder
	if err := wire.List(&got, "items", each(struct{}{})); err != nil || got.String() != `{"items":[]}` {
		t.Errorf("an empty list is %s, %v", got.String(), err)
	}
}

// An outer handler may inspect the header after the answer is written.
func TestAStreamThatOverflowsItsBufferHasNoLength(t *testing.T) {
	w := httptest.NewRecorder()
	err := wire.Stream(w, func(out io.Writer) error {
		_, err := io.WriteString(out, strings.Repeat("x", 100_000))
		return err
	})
	if err != nil || w.Body.Len() != 100_001 || w.Header().Get("Content-Length") != "" {
		t.Errorf("sent %d bytes, %v, error %v", w.Body.Len(), w.Header(), err)
	}
}

// A call that fails before it writes anything can be answered as a problem.
func TestAStreamThatFailsAtOnceSendsNothing(t *testing.T) {
	failed := errors.New("failed")
	w := httptest.NewRecorder()
	err := wire.Stream(w, func(out io.Writer) error {
		return wire.List(out, "items", func(item func([]byte) error) (any, error) { return nil, errors.Join(item([]byte("{}")), failed) })
	})
	if !errors.Is(err, failed) || w.Body.Len() > 0 || w.Header().Get("Content-Length") != "" {
		t.Errorf("sent %q, %v, error %v", w.Body, w.Header(), err)
	}
}
