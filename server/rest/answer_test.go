package rest

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"mneme/server/wire"
)

// members are structs that encode themselves without encoding/json.
type members interface{ addTo(o *wire.Object) }

// encodes fails unless v's own encoding equals encoding/json's.
func encodes(t interface{ Fatalf(string, ...any) }, v members) {
	want, wantErr := wire.Marshal(v)
	var o wire.Object
	v.addTo(&o)
	got, err := o.Bytes()
	if (err != nil) != (wantErr != nil) || err == nil && !bytes.Equal(got, want) {
		t.Fatalf("got  %s, %v\nwant %s, %v", got, err, want, wantErr)
	}
}

// A field that is added to the specification must be added to the encoder.
func TestAnswersHaveAllFields(t *testing.T) {
	full := filler{
		present: func() bool { return true },
		text:    func() string { return "x" },
		number:  func() float64 { return 1 },
		count:   func() int { return 1 },
		instant: func() time.Time { return time.Unix(1, 0).UTC() },
	}
	for _, v := range []members{new(hitHead), new(answerTail)} {
		full.fill(reflect.ValueOf(v).Elem())
		encodes(t, v)
		encodes(t, reflect.New(reflect.TypeOf(v).Elem()).Interface().(members))
	}
}

func TestAnswersAreEncodedAsByReflection(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[ -~]*`), rapid.SampledFrom([]string{
		"", `"`, `\`, "1234567\"", "12345678\\", "a\x1fb\x00", "\x7f<>&", "\u2028", "12345678\u2029", "\ufffd", "\xff", "1234567\x80", "é\xc3", "\b\f\n\r\t/",
	}))
	number := rapid.OneOf(rapid.Float64(), rapid.Float64Range(0, 1), rapid.SampledFrom([]float64{
		0, math.Copysign(0, -1), 1e-6, 9.99e-7, -1e-9, 1e20, 1e21, -1e21, 1e-300, math.NaN(), math.Inf(1), math.Inf(-1),
	}))
	instant := rapid.Custom(func(t *rapid.T) time.Time {
		zone := rapid.SampledFrom([]*time.Location{time.UTC, time.FixedZone("", 3600), time.FixedZone("", 25*3600)}).Draw(t, "zone")
		return time.Unix(rapid.Int64Range(-1e11, 1e12).Draw(t, "s"), rapid.Int64Range(0, 1e9-1).Draw(t, "ns")).In(zone)
	})
	rapid.Check(t, func(t *rapid.T) {
		random := filler{
			present: func() bool { return rapid.Bool().Draw(t, "present") },
			text:    func() string { return text.Draw(t, "text") },
			number:  func() float64 { return number.Draw(t, "number") },
			count:   func() int { return rapid.IntRange(0, 3).Draw(t, "count") },
			instant: func() time.Time { return instant.Draw(t, "instant") },
		}
		for _, v := range []members{new(hitHead), new(answerTail)} {
			random.fill(reflect.ValueOf(v).Elem())
			encodes(t, v)
		}
	})
}

// filler sets all fields of a struct, of any type.
type filler struct {
	present func() bool // that a pointer is not nil, nor a list
	text    func() string
	number  func() float64
	count   func() int
	instant func() time.Time
}

func (f *filler) fill(v reflect.Value) {
	switch v.Type() {
	case reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(f.instant()))
		return
	case reflect.TypeFor[uuid.UUID]():
		v.Set(reflect.ValueOf(uuid.NewSHA1(uuid.UUID{}, []byte(f.text()))))
		return
	case reflect.TypeFor[json.RawMessage](), reflect.TypeFor[*struct{}](): // of the value, which is no member of the head
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f.fill(v.Field(i))
		}
	case reflect.Pointer:
		if f.present() {
			v.Set(reflect.New(v.Type().Elem()))
			f.fill(v.Elem())
		}
	case reflect.Slice:
		if f.present() {
			v.Set(reflect.MakeSlice(v.Type(), f.count(), 3))
			for i := range v.Len() {
				f.fill(v.Index(i))
			}
		}
	case reflect.String:
		v.SetString(f.text())
	case reflect.Float64:
		v.SetFloat(f.number())
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(f.count()))
	case reflect.Bool:
		v.SetBool(f.present())
	default:
		panic("no value for a " + v.Type().String())
	}
}
