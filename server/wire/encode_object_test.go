package wire_test

import (
	"strings"
	"testing"

	"mneme/server/wire"
)

// encodesAs fails unless an object has the member that a struct has.
func encodesAs(t *testing.T, s string, f float64) {
	t.Helper()
	var o wire.Object
	o.String("s", s)
	o.Float("f", f)
	got, gotErr := o.Bytes()
	want, err := wire.Marshal(struct {
		S string  `json:"s"`
		F float64 `json:"f"`
	}{s, f})
	if (gotErr != nil) != (err != nil) || err == nil && string(got) != string(want) {
		t.Fatalf("%q, %g: got %s, %v, want %s, %v", s, f, got, gotErr, want, err)
	}
}

func TestObjectsEscapeEveryByteAnywhere(t *testing.T) {
	for c := range 256 {
		for before := range 17 {
			for _, around := range []string{"a", "\x7f", "\u00e9"} {
				text := strings.Repeat(around, before) + string([]byte{byte(c)}) + strings.Repeat(around, 16-before)
				encodesAs(t, text, 0)
			}
		}
	}
}

func FuzzObjectsEncodeAsMarshal(f *testing.F) {
	for text, number := range map[string]float64{"": 0, "12345678\"": 1e21, "\u2028": 1e-7, "\xff": -1e-6, "a\nb": 0.1} {
		f.Add(text, number)
	}
	f.Fuzz(func(t *testing.T, text string, number float64) { encodesAs(t, text, number) })
}

func TestAnObjectIsUsedAgain(t *testing.T) {
	var o wire.Object
	for range 2 {
		if got, err := o.Bytes(); err != nil || string(got) != "{}" {
			t.Errorf("an empty object is %s, %v", got, err)
		}
		o.Value("f", func() {})
		if _, err := o.Bytes(); err == nil {
			t.Error("a function was encoded")
		}
		o.Reset()
		o.Raw("value", []byte(`{ "<" : 1.0 }`))
		o.Bool("b", true)
		if got, err := o.Bytes(); err != nil || string(got) != `{"value":{ "<" : 1.0 },"b":true}` {
			t.Errorf("got %s, %v", got, err)
		}
		o.Reset()
	}
}
