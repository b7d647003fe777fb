package rest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"mneme/server/rest/api"
	"mneme/server/wire"
)

func FuzzWhatIsDecodedIsWhatWasSent(f *testing.F) {
	f.Add([]byte(`{"value":{"a" : 1e2},"tags":["x"],"ttl":7}`))
	f.Add([]byte(`{"value":"\u0000","type":"\ud800"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var got api.Write
		if decode(text, &got) != nil {
			return
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Value, want["value"]) {
			t.Fatalf("value %q, want %q", got.Value, want["value"])
		}
		encoded, err := wire.WithValue(entryHead{Entry: api.Entry{}}, got.Value)
		if err != nil || !json.Valid(encoded) || !bytes.HasSuffix(encoded, append([]byte(`"value":`), append(slices.Clone(got.Value), '}')...)) {
			t.Fatalf("encoded %q, %v", encoded, err)
		}
		if line := oneLine(slices.Clone(encoded)); bytes.ContainsAny(line, "\n\r") || !json.Valid(line) {
			t.Fatalf("not one line: %q", line)
		}
	})
}

func FuzzEntityTagsGoRoundTrip(f *testing.F) {
	f.Add(`W/"a", "b",,`)
	f.Add(`*`)
	f.Add(`"a-gzip", W/"b-zstd"`)
	f.Add(`"a-gzip-zstd"`)
	f.Fuzz(func(t *testing.T, text string) {
		tags, err := entityTags("If-Match", text, true)
		if err != nil || slices.Equal(tags, []string{"*"}) {
			return
		}
		if tags == nil {
			t.Fatal("nil stands for no header")
		}
		var quotedTags []string
		for _, tag := range tags {
			if strings.Contains(tag, `"`) {
				t.Fatalf("a tag with a quote in it: %q", tag)
			}
			quotedTags = append(quotedTags, quote(tag))
		}
		if len(tags) == 0 {
			return
		}
		again, err := entityTags("If-Match", strings.Join(quotedTags, ", "), true)
		// The tag of a compressed answer is also read as the entry's tag.
		if err != nil || !slices.Equal(distinct(again), distinct(tags)) {
			t.Fatalf("%q reads as %q, %v", tags, again, err)
		}
	})
}

func distinct(tags []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(tags)))
}
