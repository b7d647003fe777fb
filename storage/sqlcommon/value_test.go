package sqlcommon

import (
	"slices"
	"testing"
	"time"
)

func TestJSONIsReadAsItIsWritten(t *testing.T) {
	want := []string{"é", `"`}
	text, err := JSON{want}.Value()
	if err != nil {
		t.Fatal(err)
	}
	for _, src := range []any{text, []byte(text.(string))} {
		var got []string
		if err := (JSON{&got}).Scan(src); err != nil || !slices.Equal(got, want) {
			t.Errorf("%T: %q, %v", src, got, err)
		}
	}
	got := want
	if err := (JSON{&got}).Scan(nil); err != nil || !slices.Equal(got, want) {
		t.Errorf("null: %q, %v", got, err)
	}
	if err := (JSON{&got}).Scan(int64(1)); err == nil {
		t.Error("a number was scanned as JSON")
	}
}

func TestTheZeroValueIsNullOnlyInNullableColumns(t *testing.T) {
	if OrNull(time.Time{}) != nil || OrNull("") != nil || OrNull("x") != "x" {
		t.Error("OrNull")
	}
	if NotNull(nil) == nil {
		t.Error("NotNull")
	}
}
