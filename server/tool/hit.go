package tool

import (
	"encoding/json"
	"strconv"
	"time"

	"mneme/memory"
	"mneme/server/wire"
)

// memoryHit is a hit of memory_search. If the caller may search the store but not read it,
// only the fields up to relevance and truncated are set. A model pays for each member:
// numbers have few digits, times are days, and the session's own label, store and author name
// are omitted, as are empty tags.
type memoryHit struct {
	Key            string   `json:"key"`
	Content        string   `json:"content"`
	Classification string   `json:"classification,omitempty"`
	StoreID        string   `json:"store_id,omitempty"`
	Score          float64  `json:"score"`
	Relevance      float64  `json:"relevance"`
	Namespace      string   `json:"namespace,omitempty"`
	Tags           []string `json:"tags,omitempty"`
	UpdatedAt      string   `json:"updated_at,omitempty"` // a day of UTC
	UpdatedBy      string   `json:"updated_by,omitempty"`
	OccurredAt     *string  `json:"occurred_at,omitempty"`
	Truncated      bool     `json:"truncated,omitempty"` // Content is the best passages of the text
	Unsure         bool     `json:"unsure,omitempty"`    // it may not answer the question
	// SupersededBy is the key of a newer entry that says nearly the same.
	SupersededBy string `json:"superseded_by,omitempty"`

	Explain *wire.Explain `json:"explain,omitempty"`
}

// memoryHit returns a hit as memory_search shows it.
func (c *call) memoryHit(h wire.Hit) any {
	hit := memoryHit{Key: h.Key, Content: content(h), StoreID: c.unlessOwn(h.Store), Score: digits(h.Score, 3), Relevance: digits(h.Relevance, 2), Truncated: h.Passages != nil, Unsure: unsure(h), SupersededBy: h.SupersededBy, Explain: h.Explain}
	if h.Label != c.caller.Taint.String() {
		hit.Classification = h.Label
	}
	if e := h.Entry; e != nil {
		hit.Namespace, hit.Tags, hit.UpdatedAt, hit.UpdatedBy, hit.OccurredAt = e.Namespace, e.Tags, e.UpdatedAt.UTC().Format(time.DateOnly), c.unlessOwn(e.UpdatedBy), e.OccurredAt
	}
	return hit
}

// searchHit is a hit of the memory tool's search. If the caller may search the
// store but not read it, only key, value, storeId, label, score, relevance
// and truncated are set.
type searchHit struct {
	Path      string          `json:"path,omitempty"` // "": no path of this tool names the entry
	Key       string          `json:"key"`
	Value     json.RawMessage `json:"value"`
	StoreID   string          `json:"storeId"`
	Label     string          `json:"label"`
	Score     float64         `json:"score"`
	Relevance float64         `json:"relevance"`
	Namespace string          `json:"namespace,omitempty"`
	UpdatedBy string          `json:"updatedBy,omitempty"`
	Occurred  *string         `json:"occurredAt,omitempty"`
	Truncated bool            `json:"truncated,omitempty"` // Value is the best passages of the value's text
	Unsure    bool            `json:"unsure,omitempty"`    // it may not answer the question
	// SupersededBy is the key of a newer entry that says nearly the same.
	SupersededBy string        `json:"supersededBy,omitempty"`
	Explain      *wire.Explain `json:"explain,omitempty"`
}

// searchHit returns a hit as the memory tool shows it.
func (m *memoryCall) searchHit(h wire.Hit) any {
	hit := searchHit{Key: h.Key, Value: h.Value, StoreID: h.Store, Label: h.Label, Score: h.Score, Relevance: h.Relevance, Truncated: h.Passages != nil, Unsure: unsure(h), SupersededBy: h.SupersededBy, Explain: h.Explain}
	if h.Value != nil {
		hit.Value = json.RawMessage(memory.MarkDataURLs(string(h.Value)))
	}
	if h.Passages != nil {
		hit.Value, _ = quoted(content(h)) // a string always encodes
	}
	if e := h.Entry; e != nil {
		hit.Namespace, hit.UpdatedBy, hit.Occurred = e.Namespace, e.UpdatedBy, e.OccurredAt
		if e.Namespace == "" {
			hit.Path = m.pathOf(h.Store, h.Key)
		}
	}
	return hit
}

// unlessOwn returns an agent or a store ID, or "" for the caller's own.
func (c *call) unlessOwn(id string) string {
	if id == c.caller.Agent {
		return ""
	}
	return id
}

// digits rounds a number to n significant digits.
func digits(x float64, n int) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', n, 64), 64)
	if err != nil {
		return x
	}
	return rounded
}
