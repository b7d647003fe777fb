package tool

import (
	"context"
	"errors"

	"mneme/memory"
	"mneme/server/wire"
)

// shownHit is a hit as a tool shows it: its value, or a passage of it.
type shownHit struct {
	wire.Hit
	Passage   string // if Truncated
	Truncated bool
}

// DefaultMinRelevance is the relevance below which the tools leave out hits
// unless a call says otherwise, so that a model is told that nothing is
// relevant rather than shown what is least irrelevant. The parameter
// min_relevance: 0 switches it off.
const DefaultMinRelevance = 0.03

// nothingRelevant is the message of an answer without hits.
const nothingRelevant = "nothing relevant was found"

// ordering holds the parameters of a search, in any family, that order its
// hits and leave some out.
type ordering struct {
	ranking      string
	minRelevance float64
}

func newOrdering() ordering { return ordering{minRelevance: DefaultMinRelevance} }

// add adds the parameters to those of a call.
func (o *ordering) add(to arguments) arguments {
	to["ranking"], to["min_relevance"] = &o.ranking, &o.minRelevance
	return to
}

// of returns the request with the parameters.
func (o *ordering) of(r memory.SearchRequest) memory.SearchRequest {
	r.Ranking, r.MinRelevance = memory.Ranking(o.ranking), o.minRelevance
	return r
}

// searchAnswer is the result of a search in any family.
type searchAnswer struct {
	Results    any      `json:"results"`
	Degraded   []string `json:"degraded,omitempty"`
	Incomplete bool     `json:"incomplete,omitempty"`
	// Message says that there are no results, rather than leave it to be seen.
	Message string `json:"message,omitempty"`
	// LeftOut is the number of further hits for which there was no room.
	LeftOut int `json:"left_out,omitempty"`
}

// passageBytes is the share of an answer that a hit's value gets in any case,
// in bytes: about a chunk of the built-in model. Hits for which not even that
// is left are left out.
const passageBytes = 2000

// errFull ends the reading of hits.
var errFull = errors.New("the answer is full")

// hits returns the answer of a search, best hits first, within the limit of an
// answer. A value that is longer than the share of its hit comes as its best
// passage. show returns a hit as the tool's family shows it.
func (c *call) hits(ctx context.Context, r memory.SearchRequest, show func(shownHit) any) (searchAnswer, error) {
	a, err := c.search(ctx, r)
	if err != nil {
		return searchAnswer{}, err
	}
	answer := searchAnswer{Degraded: a.Degraded, Incomplete: a.Incomplete, LeftOut: len(a.Hits)}
	l, err := c.newList(answer)
	if err != nil {
		return searchAnswer{}, err
	}
	share, err := shareOf(&a, l.room, show)
	if err != nil {
		return searchAnswer{}, err
	}
	read := 0
	_, err = c.service.EachHit(ctx, &a, func(h *memory.Hit) error {
		err := addHit(l, h, share, show)
		if err == nil {
			read++
		}
		return err
	})
	answer.Results, answer.LeftOut = l.items, 0
	if len(a.Hits) == 0 {
		answer.Message = nothingRelevant
	}
	switch {
	case errors.Is(err, errFull):
		answer.LeftOut = len(a.Hits) - read
	case err != nil:
		return searchAnswer{}, err
	}
	return answer, nil
}

// shareOf returns the longest value that is shown whole, in bytes: the largest
// with which all hits fit, or passageBytes.
func shareOf(a *memory.Answer, room int, show func(shownHit) any) (int, error) {
	bare := make([]int, len(a.Hits)) // sizes of the hits without their values
	for i := range a.Hits {
		text, err := encode(show(shownHit{Hit: wire.HitOf(&a.Hits[i]), Truncated: true}))
		if err != nil {
			return 0, err
		}
		bare[i] = len(text) + len(",")
	}
	for share := room; share > passageBytes; share /= 2 {
		total := 0
		for i := range a.Hits {
			total += bare[i] + min(a.Hits[i].Bytes(), share)
		}
		if total <= room {
			return share, nil
		}
	}
	return passageBytes, nil
}

// addHit adds a hit to a list, or returns errFull.
func addHit(l *list, h *memory.Hit, share int, show func(shownHit) any) error {
	hit := shownHit{Hit: wire.HitOf(h)}
	if len(hit.Value) <= share {
		if fits, err := l.tryAdd(show(hit)); fits || err != nil {
			return err
		}
	}
	hit.Hit.Value, hit.Truncated = nil, true
	bare, err := encode(show(hit))
	if err != nil {
		return err
	}
	room := min(share, l.room-len(bare)-len(`,""`))
	if room < passageBytes/4 {
		return errFull
	}
	hit.Passage = h.Passage(room)
	hit.Passage = hit.Passage[:fitting(hit.Passage, room)]
	if fits, err := l.tryAdd(show(hit)); fits || err != nil {
		return err
	}
	return errFull
}
