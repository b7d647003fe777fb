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
		Value   *struct{}     `json:"value,omitempty"` // always nil: it hides the member of api.Hit
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

// encodeHit encodes a hit. If the caller may not read the store, it has only store, key,
// label, value, score and relevance.
func encodeHit(h *search.Hit) ([]byte, error) {
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
		return wire.WithValue(&out, hit.Value)
	}
	passages := make([]api.Passage, len(hit.Passages))
	for i, p := range hit.Passages {
		passages[i] = api.Passage{Text: p.Text, Start: p.Start, End: p.End, Highlights: ranges(p.Highlights)}
	}
	out.Passages = &passages
	return wire.Marshal(&out)
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

// writeAnswer writes the answer of a search. It reads the values of the hits while it writes
// them, so that the label of the answer, which depends on them, comes after them. Without paged
// the answer has no cursor of the next page, which is longer than some answers.
func (s *Surface) writeAnswer(ctx context.Context, w io.Writer, r search.Request, paged bool, a *search.Answer) error {
	return wire.List(w, "hits", func(item func([]byte) error) (any, error) {
		values := a.Values()
		err := values.Each(ctx, func(h *search.Hit) error {
			text, err := encodeHit(h)
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
		return tail, nil
	})
}
