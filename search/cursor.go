package search

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/fusion"
	"mneme/memory"
)

// frozen are the candidates of a search that no page has shown yet, best first,
// at most maxCandidates. The cursor of the next page holds them.
type frozen struct {
	at  time.Time // the instant of the first page
	ids []uuid.UUID
	// scores are those that depend on other candidates and cannot be computed
	// again, by id; NaN: it does not. nil: none does.
	scores []float64
	// judgements are a Reranker's, of some of ids, which are not asked for again.
	judgements map[uuid.UUID]judgement
}

// A cursor holds, big-endian: its form, the sum of scoredForm and judgedForm; the instant
// in microseconds since 1970; in judgedForm the number of judgements (a byte, at least 1)
// and each with the index of its id, ascending, and the log-odds; and each id, in
// scoredForm with its score.
const (
	scoredForm  = 1
	judgedForm  = 2
	frozenHead  = 1 + 8
	scoredBytes = len(uuid.UUID{}) + 8
	judgedBytes = 2 + 4
)

func (f *frozen) bytes() []byte {
	judgements, n := f.appendJudgements(nil)
	size := len(uuid.UUID{})
	if f.scores != nil {
		size = scoredBytes
	}
	b := make([]byte, 1, frozenHead+1+len(judgements)+len(f.ids)*size)
	if f.scores != nil {
		b[0] = scoredForm
	}
	b = binary.BigEndian.AppendUint64(b, uint64(f.at.UnixMicro()))
	if n > 0 {
		b[0] |= judgedForm
		b = append(append(b, byte(n)), judgements...)
	}
	for i, id := range f.ids {
		b = append(b, id[:]...)
		if f.scores != nil {
			b = binary.BigEndian.AppendUint64(b, math.Float64bits(f.scores[i]))
		}
	}
	return b
}

// appendJudgements appends the judgements of ids, and returns how many there are.
func (f *frozen) appendJudgements(b []byte) (_ []byte, n int) {
	for i, id := range f.ids {
		if j, ok := f.judgements[id]; ok {
			b = binary.BigEndian.AppendUint16(b, uint16(i))
			b = binary.BigEndian.AppendUint32(b, math.Float32bits(j.logOdds))
			n++
		}
	}
	return b, n
}

// parseFrozen is the inverse of bytes. ErrCursor: b is not of that form.
func parseFrozen(b []byte) (*frozen, error) {
	if len(b) < frozenHead || b[0] > scoredForm|judgedForm {
		return nil, memory.ErrCursor
	}
	size := len(uuid.UUID{})
	if b[0]&scoredForm != 0 {
		size = scoredBytes
	}
	each, judgements := b[frozenHead:], []byte(nil)
	if b[0]&judgedForm != 0 {
		if len(each) == 0 || each[0] == 0 || each[0] > maxReranked || len(each) < 1+int(each[0])*judgedBytes {
			return nil, memory.ErrCursor
		}
		end := 1 + int(each[0])*judgedBytes
		judgements, each = each[1:end], each[end:]
	}
	n := len(each) / size
	if n == 0 || n > maxCandidates || len(each) != n*size {
		return nil, memory.ErrCursor
	}
	f := &frozen{at: time.UnixMicro(int64(binary.BigEndian.Uint64(b[1:]))).UTC(), ids: make([]uuid.UUID, n)}
	for i := range f.ids {
		one := each[i*size:]
		copy(f.ids[i][:], one)
		if size == scoredBytes {
			f.scores = append(f.scores, math.Float64frombits(binary.BigEndian.Uint64(one[len(uuid.UUID{}):])))
		}
	}
	return f, f.parseJudgements(judgements)
}

// parseJudgements sets the judgements. ErrCursor: b is not of their form.
func (f *frozen) parseJudgements(b []byte) error {
	if len(b) > 0 {
		f.judgements = make(map[uuid.UUID]judgement)
	}
	next, read := 0, 0
	for ; len(b) > 0; b = b[judgedBytes:] {
		i, logOdds := int(binary.BigEndian.Uint16(b)), math.Float32frombits(binary.BigEndian.Uint32(b[2:]))
		if i < next || i >= len(f.ids) || !(math.Abs(float64(logOdds)) <= fusion.MaxLogOdds) {
			return memory.ErrCursor
		}
		if _, twice := f.judgements[f.ids[i]]; twice {
			return memory.ErrCursor
		}
		f.judgements[f.ids[i]] = judgement{logOdds: logOdds}
		next = i + 1
		read++
	}
	if _, written := f.appendJudgements(nil); written != read { // an id is there twice
		return memory.ErrCursor
	}
	return nil
}

// add appends a candidate. scored says that its score depends on others.
func (f *frozen) add(c *candidate, scored bool) {
	f.ids = append(f.ids, c.entry.ID)
	if scored {
		score := c.score
		if !c.ordered {
			score = math.NaN()
		}
		f.scores = append(f.scores, score)
	}
}

// scored reports whether the scores of hits depend on other candidates.
func (r *Request) scored() bool { return r.Ranking == RankingRRF || r.Diversity > 0 }

// bound returns what a cursor of the search is for: its caller and all options. What
// the first page bought concerns no other page.
func (q *searchQuery) bound() []string {
	r := q.request
	r.Cursor, r.Filter, r.Purchase = "", q.filter, Purchase{MaxCharge: r.Purchase.MaxCharge}
	options, _ := json.Marshal(r) // strings, numbers and lists always marshal
	return []string{"search", q.caller.Agent, q.caller.Taint.String(), string(options)}
}

// openPage opens the request's cursor, if it has one.
func (s *Searcher) openPage(q *searchQuery) error {
	if q.request.Cursor == "" {
		return nil
	}
	plain, err := s.secret.Open(q.request.Cursor, q.bound())
	if err != nil {
		return err
	}
	if q.page, err = parseFrozen(plain); err != nil {
		return err
	}
	q.at, q.judgements = q.page.at, q.page.judgements
	return nil
}

// NextCursor returns the cursor of the page after an answer; "" if there is none.
// The page begins after the last hit that EachHit yielded, which must have ended.
// It holds at most so many candidates, best first; 0: all. With all it is at most
// 8,600 characters long, 12,900 with RankingRRF or Diversity, and up to 900 longer with
// what a Reranker said.
//
// SECURITY: a cursor holds no candidate from a store on which the caller has
// level search, and there is none where such a store was named, since the next
// page would be denied.
func (s *Searcher) NextCursor(a *Answer, most int) (string, error) {
	if a.query == nil || a.unpaged {
		return "", nil
	}
	next := frozen{at: a.query.at, judgements: a.query.judgements, ids: make([]uuid.UUID, 0, len(a.Hits)+len(a.rest.ids))}
	scored := a.query.request.scored()
	for i := a.done; i < len(a.Hits); i++ {
		if a.Hits[i].Level >= acl.Read {
			next.add(a.Hits[i].found, scored)
		}
	}
	next.ids, next.scores = append(next.ids, a.rest.ids...), append(next.scores, a.rest.scores...)
	if len(next.ids) == 0 {
		return "", nil
	}
	if most > 0 {
		next.ids, next.scores = next.ids[:min(most, len(next.ids))], next.scores[:min(most, len(next.scores))]
	}
	return s.secret.Seal(next.bytes(), a.query.bound()), nil
}

// selected are the candidates that an answer shows, and those that may follow.
type selected struct {
	hits     []*candidate
	possible []*candidate // those of hits, and those that are if the Meter does not show them; nil if it is not asked
	rest     frozen
	short    bool // the legs should be asked for more
	// incomplete says that there may be more hits, of stores that the caller may read.
	incomplete bool
	nearest    []*candidate // of those below MinRelevance: see Request.Nearest

	// What explains them.
	ordered []*candidate             // all that could be hits, those of hits first
	apart   []*candidate             // of what was asked apart, until they are ranked
	visible map[uuid.UUID]*candidate // all that were read and passed the filter
	found   *legHits                 // what the legs found; nil on a page after the first
	dropped []*memory.Entry          // what the filter dropped among what would have been a candidate
}

// selectPage selects the hits of a page after the first, from the candidates that
// its cursor holds, in their order. They are judged again: what the caller no
// longer sees or no longer passes the filter is left out, and what was changed
// since the first page and has lost the least relevance.
func (s *Searcher) selectPage(ctx context.Context, tx memory.ReadTx, scope acl.Scope, q *searchQuery) (selected, error) {
	visible := make(map[uuid.UUID]*candidate, len(q.page.ids))
	if err := s.addVisible(ctx, tx, scope, q, q.page.ids, visible); err != nil {
		return selected{}, err
	}
	var left []*candidate
	for i, id := range q.page.ids {
		c := visible[id]
		if c == nil {
			continue
		}
		c.ask(q, 0)
		if q.page.scores != nil {
			c.score, c.ordered = q.page.scores[i], !math.IsNaN(q.page.scores[i])
		}
		left = append(left, c)
	}
	page := selected{visible: visible}
	for _, id := range q.page.ids {
		if e := q.dropped[id]; e != nil {
			page.dropped = append(page.dropped, e)
		}
	}
	for len(page.hits) < q.request.Limit && len(left) > 0 {
		n := min(q.request.Limit-len(page.hits), len(left))
		if err := s.assessPage(ctx, tx, scope, q, left[:n]); err != nil {
			return selected{}, err
		}
		for _, c := range left[:n] {
			if !c.entry.UpdatedAt.After(q.at) || c.reaches(q.request.MinRelevance) {
				page.hits = append(page.hits, c)
			}
		}
		left = left[n:]
	}
	for _, c := range left {
		page.rest.add(c, q.request.scored())
	}
	page.ordered = slices.Concat(page.hits, left)
	return page, nil
}

// assessPage assesses candidates of a cursor, whose scores stay as they were if
// they depend on others.
func (s *Searcher) assessPage(ctx context.Context, tx assessmentTx, scope acl.Scope, q *searchQuery, candidates []*candidate) (err error) {
	ctx, end := s.startStep(ctx, "rank", &q.took.Rank)
	defer end(&err)
	before := make([]float64, len(candidates))
	for i, c := range candidates {
		before[i] = c.score
	}
	if err := s.assess(ctx, tx, scope, q, candidates); err != nil {
		return err
	}
	q.weighRecency(candidates)
	for i, c := range candidates {
		if c.ordered {
			c.score = before[i]
		}
	}
	return nil
}

// after returns the candidates after the last of hits, among those that may
// follow on another page.
func after(ordered, hits []*candidate, scored bool) (rest frozen) {
	if len(hits) == 0 {
		return frozen{}
	}
	last := slices.Index(ordered, hits[len(hits)-1])
	rest.ids = make([]uuid.UUID, 0, len(ordered)-last-1)
	for _, c := range ordered[last+1:] {
		if c.access.Level >= acl.Read {
			rest.add(c, scored)
		}
	}
	return rest
}
