package canonicaljson

import (
	"encoding/json"
	"testing"
)

// The examples are those of RFC 8785: section 3.2.2, and section 3.2.3 for the order of names.
func TestCanonicalFormIsThatOfRFC8785(t *testing.T) {
	for in, want := range map[string]string{
		`{
  "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
  "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
  "literals": [null, true, false]
}`: "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],\"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}",
		"{\"\\u20ac\":\"Euro Sign\",\"\\r\":\"Carriage Return\",\"\\ufb33\":\"Hebrew Letter Dalet With Dagesh\",\"1\":\"One\",\"\\ud83d\\ude00\":\"Emoji: Grinning Face\",\"\\u0080\":\"Control\",\"\\u00f6\":\"Latin Small Letter O With Diaeresis\"}": "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\",\"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\",\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}",
		` [ -0 , 0.0, 1e21, 123456789012345680000.0, 9007199254740991, 10000000e9, 10000000000000000 ] `:                                                                                                                                                `[0,0,1e+21,123456789012345680000,9007199254740991,10000000000000000,10000000000000000]`,
		`"<&>` + "\u2028" + `\ufffd"`: `"<&>` + "\u2028\ufffd" + `"`,
	} {
		if got := string(Of(json.RawMessage(in))); got != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
	}
}

func TestWhatHasNoCanonicalFormCountsAsItsText(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":1,"a":2}`:        `"{\"a\":1,\"a\":2}"`,
		`1e400`:                `"1e400"`,
		`12345678901234567890`: `"12345678901234567890"`,
		`"\ud800"`:             `"\"\\ud800\""`,
		`{`:                    `"{"`,
		`1 2`:                  `"1 2"`,
	} {
		if got := string(Of(json.RawMessage(in))); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

func FuzzOf(f *testing.F) {
	for _, seed := range []string{`{"b":[1.5,"x"],"a":null}`, `"\ud83d\ude00"`, `-0.0e9`, `{"a":1,"a":1}`, `10000000e9`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		once := Of(value)
		if !json.Valid(once) {
			t.Fatalf("%q: not JSON: %q", value, once)
		}
		if twice := Of(once); string(twice) != string(once) {
			t.Fatalf("%q: %q, then %q", value, once, twice)
		}
	})
}
