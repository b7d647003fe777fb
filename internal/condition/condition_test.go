package condition

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mneme/acl"
)

func list(n int, item string) string {
	return "[" + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + "]"
}

func TestErrorsNameThePosition(t *testing.T) {
	nested := func(n int) string {
		return strings.Repeat(`{"not":`, n) + `{"key":{"eq":"a"}}` + strings.Repeat("}", n)
	}
	for text, want := range map[string]string{
		``:                                        "where: must be JSON",
		`[]`:                                      `where: must be an object`,
		`{}`:                                      `where: must have a field`,
		`{"key":{"eq":"a"}} x`:                    "where: must be one JSON object",
		`{"key":{"eq":"a"}`:                       "where: must be JSON",
		"{\"key\":{\"eq\":\"\xff\"}}":             "where: must be valid UTF-8",
		`{"colour":{"eq":"a"}}`:                   "where.colour: is not a field",
		`{"value":{"eq":1}}`:                      "where.value: is not a field",
		`{"key.a":{"eq":"a"}}`:                    "where.key.a: is not a field",
		`{"a b":{"eq":"a"}}`:                      `where."a b": is not a field`,
		`{"value.a..b":{"eq":1}}`:                 "where.value.a..b: must name a member",
		`{"key":"a"}`:                             "where.key: must be an object of operators",
		`{"key":{}}`:                              "where.key: must be an object of operators",
		`{"key":{"like":"a"}}`:                    "where.key.like: is not an operator of this field: it takes eq",
		`{"tags":{"eq":"a"}}`:                     "where.tags.eq: is not an operator of this field: it takes contains, exists",
		`{"key":{"exists":true}}`:                 "where.key.exists: is not an operator",
		`{"encrypted":{"gt":true}}`:               "where.encrypted.gt: is not an operator",
		`{"key":{"eq":1}}`:                        "where.key.eq: must be a string",
		`{"key":{"prefix":""}}`:                   "where.key.prefix: must not be empty",
		`{"key":{"eq":"a","eq":"b"}}`:             "where.key.eq: is repeated",
		`{"key":{"eq":"a"},"key":{"ne":"b"}}`:     "where.key: is repeated",
		`{"key":{"eq":"\u0000"}}`:                 "where.key.eq: must have no NUL",
		`{"key":{"eq":"\ud800"}}`:                 "where.key.eq: must have no unpaired surrogates",
		`{"value.a\u0000":{"eq":1}}`:              "where: must have no NUL",
		`{"key":{"in":[]}}`:                       "where.key.in: must be a list of 1 to 100",
		`{"key":{"in":"a"}}`:                      "where.key.in: must be a list of 1 to 100",
		`{"key":{"in":` + list(101, `"a"`) + `}}`: "where.key.in: must be a list of 1 to 100",
		`{"key":{"in":["a",1]}}`:                  "where.key.in[1]: must be a string",
		`{"value.a":{"in":["a",1]}}`:              "where.value.a.in[1]: must be of the type of the first item",
		`{"value.a":{"eq":null}}`:                 "where.value.a.eq: must be a string, a number, true or false",
		`{"value.a":{"gt":true}}`:                 "where.value.a.gt: must be a string or a number",
		`{"value.a":{"prefix":1}}`:                "where.value.a.prefix: must be a string",
		`{"value.a":{"eq":1e99999}}`:              "where.value.a.eq: must have at most 400 digits",
		`{"value.a":{"exists":1}}`:                "where.value.a.exists: must be true or false",
		`{"key":{"eq":"` + strings.Repeat("a", 513) + `"}}`:               "where.key.eq: must have at most 512 bytes",
		`{"type":{"eq":"persona"}}`:                                       "where.type.eq: must be one of user",
		`{"label":{"eq":"public"}}`:                                       "where.label.eq: must be PUBLIC",
		`{"encrypted":{"eq":1}}`:                                          "where.encrypted.eq: must be true or false",
		`{"and":[]}`:                                                      "where.and: must be a list of at least one condition",
		`{"or":{"key":{"eq":"a"}}}`:                                       "where.or: must be a list",
		`{"not":[{"key":{"eq":"a"}}]}`:                                    "where.not: must be an object",
		`{"and":[{"key":{"eq":"a"}},{"updated_at":{"gte":"yesterday"}}]}`: "where.and[1].updated_at.gte: must be a time",
		`{"updated_at":{"gte":"2026-02-30"}}`:                             "where.updated_at.gte: must be a time",
		`{"updated_at":{"gte":"2026-13"}}`:                                "where.updated_at.gte: must be a time",
		`{"updated_at":{"gte":"26"}}`:                                     "where.updated_at.gte: must be a time",
		`{"updated_at":{"gte":"2026-5"}}`:                                 "where.updated_at.gte: must be a time",
		`{"updated_at":{"gte":"2026-05-01T9:00"}}`:                        "where.updated_at.gte: must be a time",
		`{"updated_at":{"in":["2026-05","May"]}}`:                         "where.updated_at.in[1]: must be a time",
		`{"updated_at":{"gte":1}}`:                                        "where.updated_at.gte: must be a time",
		`{"updated_at":{"gte":"now-7y"}}`:                                 "where.updated_at.gte: must be a time",
		`{"updated_at":{"gte":"now-99999d"}}`:                             "where.updated_at.gte: must be at most 100 years",
		`{"or":` + list(65, `{"key":{"eq":"a"}}`) + `}`:                   "where.or[64].key.eq: a condition must have at most 64 comparisons",
		nested(9):   "where" + strings.Repeat(".not", 9) + ": and, or and not must nest",
		nested(100): "nests too deep",
		`{"key":{"eq":"` + strings.Repeat("a", MaxBytes) + `"}}`: "where: must have at most 65536 bytes",
	} {
		_, err := Parse([]byte(text))
		var broken *Error
		if !errors.As(err, &broken) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: %v, want %s", text, err, want)
		}
	}
	for _, text := range []string{
		nested(8), `{"or":` + list(64, `{"key":{"eq":"a"}}`) + `}`, `{"key":{"in":` + list(100, `"a"`) + `}}`,
		strings.Repeat(`{"and":[`, 20) + `{"key":{"eq":"\\ufffd"}}` + strings.Repeat("]}", 20),
	} {
		if _, err := Parse([]byte(text)); err != nil {
			t.Errorf("%.80s: %v", text, err)
		}
	}
}

func TestConditionsEvaluateEntries(t *testing.T) {
	day := time.Date(2026, 5, 2, 0, 0, 0, 0, time.UTC)
	e := Entry{
		Key: "trip/rome", Namespace: "", Type: "user", Tags: []string{"travel", "Café"}, OwnerID: "a", UpdatedBy: "b",
		Label: acl.Internal, CreatedAt: day, UpdatedAt: day.Add(time.Hour),
		Value: json.RawMessage(`{"city":"Rome","days":3,"big":12345678901234567891,"open":true,"tags":["x",1,null],"at":{"zip":"00184"},"none":null,"x":1,"x":2}`),
	}
	bare := Entry{Key: "k", Label: acl.Public, CreatedAt: day, UpdatedAt: day, Value: json.RawMessage(`"text"`)}
	sealed := e
	sealed.Encrypted = true
	for text, want := range map[string]string{ // the verdicts on e, bare and sealed: Y or n
		`{"key":{"prefix":"trip/"}}`:                          "YnY",
		`{"key":{"prefix":"Trip/"}}`:                          "nnn",
		`{"key":{"contains":"rom"}}`:                          "YnY",
		`{"key":{"gt":"k"}}`:                                  "YnY",
		`{"namespace":{"eq":""}}`:                             "YYY",
		`{"type":{"exists":false}}`:                           "nYn",
		`{"type":{"ne":"user"}}`:                              "nYn",
		`{"type":{"nin":["project"]}}`:                        "YYY",
		`{"type":{"in":["user","project"]}}`:                  "YnY",
		`{"tags":{"contains":"travel"}}`:                      "YnY",
		`{"tags":{"contains":"trav"}}`:                        "nnn",
		`{"tags":{"exists":true}}`:                            "YnY",
		`{"not":{"tags":{"contains":"travel"}}}`:              "nYn",
		`{"label":{"gte":"INTERNAL"}}`:                        "YnY",
		`{"label":{"nin":["PUBLIC"]}}`:                        "YnY",
		`{"encrypted":{"eq":false}}`:                          "YYn",
		`{"updated_at":{"gt":"2026-05-02"}}`:                  "nnn",
		`{"updated_at":{"gt":"2026-05-01"}}`:                  "YYY",
		`{"updated_at":{"lte":"2026-05-02"}}`:                 "YYY",
		`{"updated_at":{"lt":"2026-05-02T01:00"}}`:            "nYn",
		`{"updated_at":{"gte":"2026-05-02"}}`:                 "YYY",
		`{"created_at":{"eq":"2026-05-02T02:00:00+02:00"}}`:   "YYY",
		`{"updated_at":{"gte":"now-12h"}}`:                    "YnY",
		`{"expires_at":{"exists":false}}`:                     "YYY",
		`{"expires_at":{"lt":"9999-01-01"}}`:                  "nnn",
		`{"expires_at":{"ne":"2026-05-02"}}`:                  "YYY",
		`{"not":{"expires_at":{"lt":"9999-01-01"}}}`:          "YYY",
		`{"occurred_at":{"exists":true}}`:                     "nnn",
		`{"value.city":{"eq":"Rome"}}`:                        "Ynn",
		`{"value.city":{"contains":"om"}}`:                    "Ynn",
		`{"value.city":{"ne":"Rome"}}`:                        "nYY",
		`{"value.city":{"ne":3}}`:                             "nYY", // of another type: never, except where absent
		`{"not":{"value.city":{"eq":3}}}`:                     "YYY",
		`{"value.city":{"exists":false}}`:                     "nYY",
		`{"value.none":{"exists":true}}`:                      "nnn",
		`{"value.days":{"gte":2.5,"lt":30e-1}}`:               "nnn",
		`{"value.days":{"gte":2.5,"lte":30e-1}}`:              "Ynn",
		`{"value.days":{"gt":"2"}}`:                           "nnn",
		`{"value.big":{"gt":12345678901234567890}}`:           "Ynn",
		`{"value.big":{"lt":12345678901234567892}}`:           "Ynn",
		`{"value.open":{"eq":true}}`:                          "Ynn",
		`{"value.tags":{"contains":1.0}}`:                     "Ynn",
		`{"value.tags":{"contains":"x"}}`:                     "Ynn",
		`{"value.tags":{"eq":"x"}}`:                           "nnn",
		`{"value.at.zip":{"prefix":"001"}}`:                   "Ynn",
		`{"value.at":{"exists":true}}`:                        "Ynn",
		`{"value.x":{"eq":2}}`:                                "Ynn",
		`{"or":[{"key":{"eq":"k"}},{"value.days":{"eq":3}}]}`: "YYn",
		`{"key":{"eq":"k"},"type":{"eq":"user"}}`:             "nnn",
	} {
		c, err := Parse([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		c = c.At(day.Add(12*time.Hour+time.Minute), time.UTC)
		got := ""
		for _, e := range []Entry{e, bare, sealed} {
			fits := c.Fits(&e)
			got += map[bool]string{true: "Y", false: "n"}[fits]
			unread := e
			unread.Value = nil
			if v := c.Judge(&unread); v != Unknown && (v == Yes) != fits || v == Unknown && !c.ReadsValue() {
				t.Errorf("%s: without the value of %s the verdict is %d", text, e.Key, v)
			}
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestNumbersCompareExactly(t *testing.T) {
	ascending := []string{
		"-1e99999999999999999999", "-1e400", "-12345678901234567891", "-12345678901234567890", "-1.5", "-1", "-1e-400", "0", "1e-99999999999999999999",
		"1e-400", "0.1", "0.10000000000000000001", "1", "1.5", "9.99", "10", "100", "12345678901234567890", "12345678901234567891", "1e400",
	}
	for i, a := range ascending {
		for j, b := range ascending {
			if got, want := parseNumber(a).compare(parseNumber(b)), min(1, max(-1, i-j)); got != want {
				t.Errorf("%s and %s: %d, want %d", a, b, got, want)
			}
		}
	}
	for _, same := range [][2]string{{"0", "-0.00e5"}, {"1", "1.0"}, {"10e-1", "0.1E+1"}, {"100", "1e2"}, {"0.001", "1e-3"}, {"-12.50", "-1250e-2"}} {
		if parseNumber(same[0]).compare(parseNumber(same[1])) != 0 {
			t.Errorf("%s is not %s", same[0], same[1])
		}
	}
}

func TestKeysComeFromConjuncts(t *testing.T) {
	for text, want := range map[string]string{
		`{"namespace":{"eq":"n"},"key":{"eq":"k"},"type":{"eq":"user"},"tags":{"contains":"t"},"encrypted":{"eq":false}}`: "n k user [t] true",
		`{"or":[{"namespace":{"eq":"n"}},{"type":{"eq":"user"}}]}`:                                                        "- -  [] false",
		`{"not":{"namespace":{"eq":"n"}}}`:                                                                                "- -  [] false",
		`{"namespace":{"ne":"n"},"encrypted":{"eq":true},"tags":{"exists":true}}`:                                         "- -  [] false",
		`{"and":[{"tags":{"contains":"t"}},{"tags":{"contains":"u"},"type":{"in":["user"]}}]}`:                            "- -  [t u] false",
	} {
		c, err := Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		k := c.Keys()
		or := func(s *string) string {
			if s == nil {
				return "-"
			}
			return *s
		}
		if got := fmt.Sprintf("%s %s %s %v %v", or(k.Namespace), or(k.Key), k.Type, k.Tags, k.NotEncrypted); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"updated_at":{"gte":"2026-05-01"},"tags":{"contains":"travel"}}`, `{"or":[{"and":[{"key":{"eq":"a"}}]},{"not":{"value.a.b":{"in":[1,2.50]}}}]}`,
		`{"expires_at":{"lt":"now+1d","exists":true}}`, `{"value.é":{"eq":"<>&\u2028"}}`, `{"encrypted":{"eq":true}}`, `{"label":{"in":["PUBLIC"]}}`,
		`{"occurred_at":{"in":["2026","2026-05","2026-05-02","2026-05-02T00:00","2026-05-02T00:00:00.5"]}}`, `{"updated_at":{"nin":["9999"],"gt":"0000-01"}}`,
	} {
		f.Add(seed, `{"a":{"b":1},"é":"x"}`)
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		c, err := Parse([]byte(text))
		if err != nil {
			var broken *Error
			if !errors.As(err, &broken) {
				t.Fatalf("%T", err)
			}
			return
		}
		canonical, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(canonical)
		if err != nil {
			t.Fatalf("%s: %v", canonical, err)
		}
		if stable, _ := json.Marshal(again); string(stable) != string(canonical) {
			t.Errorf("%s became %s", canonical, stable)
		}
		e := Entry{Key: "a", Value: json.RawMessage(value)} // need not be JSON
		now := time.Date(2026, 5, 2, 0, 0, 0, 0, time.UTC)
		for _, dated := range []bool{false, true} {
			e.OccurredAt, e.Dated = &now, dated
			for _, zone := range []*time.Location{time.UTC, time.FixedZone("east", 14*3600)} {
				if c.At(now, zone).Fits(&e) != again.At(now, zone).Fits(&e) {
					t.Errorf("%s and %s judge differently", text, canonical)
				}
			}
		}
	})
}

// Names are compared in the form in which entries store them, values as they were written.
func TestOperandsOfNamesTakeEveryUnicodeForm(t *testing.T) {
	const composed, decomposed = "caf\u00e9", "cafe\u0301"
	e := Entry{Key: composed + "/1", Namespace: composed, Tags: []string{composed}, Value: []byte(`{"name": "` + composed + `"}`)}
	for text, want := range map[string]bool{
		`{"key": {"eq": "` + decomposed + `/1"}}`:              true,
		`{"key": {"prefix": "` + decomposed + `"}}`:            true,
		`{"key": {"in": ["x", "` + decomposed + `/1"]}}`:       true,
		`{"namespace": {"ne": "` + decomposed + `"}}`:          false,
		`{"namespace": {"gte": "` + decomposed + `"}}`:         true,
		`{"tags": {"contains": "` + decomposed + `"}}`:         true,
		`{"value.name": {"eq": "` + composed + `"}}`:           true,
		`{"value.name": {"eq": "` + decomposed + `"}}`:         false,
		`{"not": {"key": {"contains": "` + decomposed + `"}}}`: false,
	} {
		c, err := Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Fits(&e); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	// The length limit of an operand applies to form C.
	if _, err := Parse([]byte(`{"key": {"eq": "` + strings.Repeat("e\u0301", MaxText/2) + `"}}`)); err != nil {
		t.Error(err)
	}
}

func TestOneElementOfAnArrayMustFit(t *testing.T) {
	e := Entry{Value: []byte(`{"items":[{"name":"tent","kg":2.5},{"name":"stove","parts":[{"id":"a1"},{"id":"b2"}]},7,null,[{"name":"rope"}]],"none":[]}`)}
	for text, want := range map[string]bool{
		`{"value.items.name":{"eq":"stove"}}`:         true,
		`{"value.items.name":{"eq":"rope"}}`:          true,
		`{"value.items.name":{"eq":"lamp"}}`:          false,
		`{"value.items.name":{"in":["lamp","tent"]}}`: true,
		`{"value.items.name":{"prefix":"st"}}`:        true,
		`{"value.items.kg":{"gt":2}}`:                 true,
		`{"value.items.kg":{"gt":3}}`:                 false,
		`{"value.items.parts.id":{"eq":"b2"}}`:        true,
		`{"value.items.name":{"ne":"stove"}}`:         false, // all must differ
		`{"value.items.name":{"ne":"lamp"}}`:          true,
		`{"value.items.name":{"nin":["lamp"]}}`:       true,
		`{"value.items.kg":{"exists":true}}`:          true,
		`{"value.items.kg":{"exists":false}}`:         false,
		`{"value.none.name":{"exists":false}}`:        true,
		`{"value.none.name":{"eq":"tent"}}`:           false,
	} {
		c, err := Parse([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if c.Fits(&e) != want {
			t.Errorf("%s: %t", text, !want)
		}
	}
}
