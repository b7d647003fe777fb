package rest

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
	"mneme/search"
)

// Hits have their members in one order and their values byte for byte. In other strings, HTML
// characters are not escaped, and bytes that are not UTF-8 are replaced.
func TestHitsAreEncodedAlike(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 5e8, time.FixedZone("", 3600))
	whole := search.Hit{
		Entry: memory.Entry{
			ID: uuid.UUID{15: 1}, Path: memory.Path{Store: "alice", Key: "k<"}, Label: acl.Public, Owner: "alice", UpdatedBy: "alice", Type: "user",
			Description: "a <b> & \"c\"\u2028\xff", Tags: []string{"t>", "ö"}, Value: []byte(`{ "<" : 1.0 }`), UpdatedAt: at,
		},
		Score: 1e-7, Relevance: .5, Level: acl.Read, Highlights: [][2]int{{1, 2}},
	}
	searched, passages := whole, whole
	searched.Level = acl.Search
	passages.Value, passages.Truncated, passages.Passages = nil, true, []search.Passage{{Text: "<p>", Start: 3, End: 6}}
	for _, c := range []struct {
		hit  search.Hit
		want string
	}{
		{whole, `{"description":"a <b> & \"c\"\u2028\ufffd","highlights":[[1,2]],"id":"00000000-0000-0000-0000-000000000001","key":"k<","label":"PUBLIC","namespace":"","owner_id":"alice",` +
			`"relevance":0.5,"score":1e-7,"store_id":"alice","tags":["t>","ö"],"type":"user","updated_at":"2026-03-01T11:00:00.5Z","updated_by":"alice","value":{ "<" : 1.0 }}`},
		{searched, `{"key":"k<","label":"PUBLIC","relevance":0.5,"score":1e-7,"store_id":"alice","value":{ "<" : 1.0 }}`},
		{passages, `{"description":"a <b> & \"c\"\u2028\ufffd","highlights":[[1,2]],"id":"00000000-0000-0000-0000-000000000001","key":"k<","label":"PUBLIC","namespace":"","owner_id":"alice",` +
			`"passages":[{"end":6,"start":3,"text":"<p>"}],"relevance":0.5,"score":1e-7,"store_id":"alice","tags":["t>","ö"],"truncated":true,"type":"user","updated_at":"2026-03-01T11:00:00.5Z","updated_by":"alice"}`},
	} {
		if got, err := encodeHit(&c.hit); err != nil || string(got) != c.want {
			t.Errorf("got  %s, %v\nwant %s", got, err, c.want)
		}
	}
}
