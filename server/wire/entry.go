package wire

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
	"mneme/search"
)

// Entry is an entry in an answer, without its value. Times are in UTC, and Tags is
// never nil. Each surface has its own field names.
type Entry struct {
	ID                           uuid.UUID
	Store, Owner, Namespace, Key string
	Label, Type, Description     string
	Tags                         []string
	InContext, Encrypted         bool
	Source                       json.RawMessage // nil: none
	ExpiresAt                    *time.Time      // nil: never
	Version                      int
	CreatedAt, UpdatedAt         time.Time
	UpdatedBy                    string
	TypeBy, DescriptionBy        *string    // nil: the owner; "": unknown
	OccurredAt                   *string    // nil: unknown
	DeletedAt                    *time.Time // nil: live
	DeletedBy                    string
}

// EntryOf converts an entry for an answer.
func EntryOf(e *memory.Entry) Entry {
	return Entry{
		ID: e.ID, Store: e.Store, Owner: e.Owner, Namespace: e.Namespace, Key: e.Key,
		Label: e.Label.String(), Type: e.Type, Description: e.Description, Tags: Tags(e.Tags),
		InContext: e.InContext, Encrypted: e.Encrypted, Source: e.Source, ExpiresAt: Time(e.ExpiresAt), Version: e.Version,
		CreatedAt: e.CreatedAt.UTC(), UpdatedAt: e.UpdatedAt.UTC(), UpdatedBy: e.UpdatedBy,
		TypeBy: notOwner(e, e.TypeBy), DescriptionBy: notOwner(e, e.DescriptionBy), OccurredAt: occurredAt(e),
		DeletedAt: Time(e.DeletedAt), DeletedBy: e.DeletedBy,
	}
}

// notOwner returns the author of a field; nil if it is the entry's owner.
func notOwner(e *memory.Entry, author string) *string {
	if author == e.Owner {
		return nil
	}
	return new(author)
}

func occurredAt(e *memory.Entry) *string {
	if e.OccurredAt.IsZero() {
		return nil
	}
	return new(e.OccurredAt.String())
}

// Hit is a search hit in an answer.
type Hit struct {
	Store, Key, Label string
	Value             json.RawMessage // nil if there are Passages
	Passages          []Passage       // replace a value that is too long
	Score, Relevance  float64
	// Highlights are the byte ranges of the text of Value that match words of the
	// query; nil if the search shows none.
	Highlights [][2]int
	// SupersededBy is the key of a newer entry with nearly the same text; "": none.
	SupersededBy string
	// Explain is nil unless the search asked for it.
	Explain *Explain
	// Entry is the rest of the entry. SECURITY: it is nil if the caller may
	// search the store but not read it, whatever the surface.
	Entry *Entry
}

// Passage is a passage of a hit in an answer.
type Passage struct {
	Text string `json:"text"`
	// Start and End are its byte range in the searched text. SECURITY: they
	// are nil if the caller may search the store but not read it.
	Start      *int     `json:"start,omitempty"`
	End        *int     `json:"end,omitempty"`
	Highlights [][2]int `json:"highlights,omitempty"` // byte ranges of Text
}

// HitOf converts a hit for an answer.
func HitOf(h *search.Hit) Hit {
	hit := Hit{Store: h.Store, Key: h.Key, Label: h.Label.String(), Value: h.Value, Score: h.Score, Relevance: h.Relevance}
	for _, p := range h.Passages {
		passage := Passage{Text: p.Text, Highlights: p.Highlights}
		if h.Level >= acl.Read {
			passage.Start, passage.End = new(p.Start), new(p.End)
		}
		hit.Passages = append(hit.Passages, passage)
	}
	if h.Level >= acl.Read {
		hit.Highlights, hit.SupersededBy, hit.Explain = h.Highlights, h.SupersededBy, ExplainOf(h.Explain)
		e := EntryOf(&h.Entry)
		hit.Entry = &e
	}
	return hit
}
