package rest

import (
	"context"
	"io"

	"mneme/memory"
	"mneme/search"
	"mneme/server/rest/api"
	"mneme/server/wire"
)

type (
	// hitHead is a hit without its value, which is added to it as it was stored.
	hitHead struct {
		api.Hit
		Value   *struct{}     `json:"value,omitempty"` // nil: hides that of the generated type
		Explain *wire.Explain `json:"explain,omitempty"`
	}
	// answerTail is what follows the hits in the answer of a search.
	answerTail struct {
		Label      string            `json:"label,omitempty"`
		Degraded   []string          `json:"degraded"`
		Incomplete bool              `json:"incomplete"`
		Reason     string            `json:"reason,omitempty"`
		NearestDay string            `json:"nearest_day,omitempty"`
		Nearest    []api.Nearest     `json:"nearest,omitempty"`
		Tokens     *int              `json:"tokens,omitempty"`
		Next       string            `json:"next_cursor,omitempty"`
		Explain    *wire.Explanation `json:"explain,omitempty"`
		bill
	}
)

// addTo adds the members to o, as encoding/json encodes them.
func (h *hitHead) addTo(o *wire.Object) {
	o.OptionalString("description", h.Description)
	if h.Highlights != nil {
		o.Value("highlights", h.Highlights)
	}
	if h.Id != nil {
		o.ID("id", *h.Id)
	}
	o.String("key", h.Key)
	o.String("label", string(h.Label))
	o.OptionalString("namespace", h.Namespace)
	o.OptionalString("occurred_at", h.OccurredAt)
	o.OptionalString("owner_id", h.OwnerId)
	if h.Passages != nil {
		o.Value("passages", h.Passages)
	}
	o.Float("relevance", h.Relevance)
	o.Float("score", h.Score)
	o.String("store_id", h.StoreId)
	o.OptionalString("superseded_by", h.SupersededBy)
	if h.Tags != nil {
		o.Strings("tags", *h.Tags)
	}
	if h.Truncated != nil {
		o.Bool("truncated", *h.Truncated)
	}
	o.OptionalString("type", h.Type)
	if h.UpdatedAt != nil {
		o.Time("updated_at", *h.UpdatedAt)
	}
	o.OptionalString("updated_by", h.UpdatedBy)
	if h.Explain != nil {
		o.Value("explain", h.Explain)
	}
}

// addTo adds the members to o, as encoding/json encodes them.
func (t *answerTail) addTo(o *wire.Object) {
	if t.Label != "" {
		o.String("label", t.Label)
	}
	o.Strings("degraded", t.Degraded)
	o.Bool("incomplete", t.Incomplete)
	if t.Reason != "" {
		o.String("reason", t.Reason)
	}
	if t.NearestDay != "" {
		o.String("nearest_day", t.NearestDay)
	}
	if len(t.Nearest) > 0 {
		o.Value("nearest", t.Nearest)
	}
	if t.Tokens != nil {
		o.Value("tokens", t.Tokens)
	}
	if t.Next != "" {
		o.String("next_cursor", t.Next)
	}
	if t.Explain != nil {
		o.Value("explain", t.Explain)
	}
	if len(t.Charges) > 0 {
		o.Value("charges", t.Charges)
	}
	if t.Receipt != "" {
		o.String("receipt", t.Receipt)
	}
	if t.Balance != nil {
		o.Value("balance", t.Balance)
	}
	if len(t.Skipped) > 0 {
		o.Value("skipped", t.Skipped)
	}
}

// addHit adds the members of a hit to o. If the caller may not read the store, it has
// only store, key, label, value, score and relevance.
func addHit(o *wire.Object, h *search.Hit) {
	hit := wire.HitOf(h)
	out := hitHead{Explain: hit.Explain, Hit: api.Hit{
		StoreId: hit.Store, Key: hit.Key, Label: api.Label(hit.Label), Score: hit.Score, Relevance: hit.Relevance,
	}}
	if e := hit.Entry; e != nil {
		out.Id, out.OwnerId, out.Namespace, out.Type = &e.ID, &e.Owner, &e.Namespace, &e.Type
		out.Description, out.Tags, out.UpdatedAt, out.UpdatedBy = &e.Description, &e.Tags, &e.UpdatedAt, &e.UpdatedBy
		out.OccurredAt = e.OccurredAt
		out.Highlights = ranges(hit.Highlights)
		if hit.SupersededBy != "" {
			out.SupersededBy = &hit.SupersededBy
		}
		if hit.Passages != nil {
			out.Truncated = new(true)
		}
	}
	if hit.Passages == nil {
		out.addTo(o)
		o.Raw("value", hit.Value)
		return
	}
	passages := make([]api.Passage, len(hit.Passages))
	for i, p := range hit.Passages {
		passages[i] = api.Passage{Text: p.Text, Start: p.Start, End: p.End, Highlights: ranges(p.Highlights)}
	}
	out.Passages = &passages
	out.addTo(o)
}

// ranges returns byte ranges as answers show them; nil if there are none.
func ranges(of [][2]int) *api.Ranges {
	if len(of) == 0 {
		return nil
	}
	shown := make(api.Ranges, len(of))
	for i, r := range of {
		shown[i] = r[:]
	}
	return &shown
}

// nearestOf returns the entries that come closest where there are no hits.
func nearestOf(found []memory.Near) (out []api.Nearest) {
	for i := range found {
		e := &found[i].Entry
		out = append(out, api.Nearest{
			StoreId: e.Store, Namespace: e.Namespace, Key: e.Key, Label: api.Label(e.Label.String()), Description: e.Description,
			Text: wire.Beginning(e.Value), Relevance: found[i].Relevance, Unsure: true,
		})
	}
	return out
}

// writeAnswer writes the answer of a search. It reads the values of the hits
// while it writes them, so that the label is known only after them. paged asks for the
// cursor of the next page, which is longer than some answers.
func (s *Surface) writeAnswer(ctx context.Context, w io.Writer, r search.Request, paged bool, a *search.Answer) error {
	return wire.List(w, "hits", func(item func([]byte) error) (any, error) {
		var o wire.Object // reused for each hit, then for the tail
		values := a.Values()
		err := values.Each(ctx, func(h *search.Hit) error {
			o.Reset()
			addHit(&o, h)
			text, err := o.Bytes()
			if err != nil {
				return err
			}
			return item(text)
		})
		if err != nil {
			return nil, err
		}
		tail := answerTail{
			bill: billOf(a.Bill), Label: values.Label().String(), Nearest: nearestOf(a.Nearest), Degraded: append([]string{}, a.Degraded...),
			Incomplete: a.Incomplete, Explain: wire.ExplanationOf(values.Explanation()),
		}
		switch {
		case a.NoWords:
			tail.Reason = string(api.NoWords)
		case a.NothingThen:
			tail.Reason, tail.NearestDay = string(api.NothingThen), a.NearestDay.String()
		}
		if r.MaxTokens > 0 {
			tail.Tokens = new(values.Tokens())
		}
		if paged {
			if tail.Next, err = values.Next(0); err != nil {
				return nil, err
			}
		}
		o.Reset()
		tail.addTo(&o)
		return &o, nil
	})
}
