package search

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"mneme/fusion"
	"mneme/internal/passage"
	"mneme/lexical"
	"mneme/memory"
)

// Reranker judges how well texts answer a query. It may be an external service.
type Reranker interface {
	// Rerank returns, for each text, the log-odds that it answers the query: a finite
	// number that depends only on this text and the query. Errors never include texts
	// or queries.
	Rerank(ctx context.Context, query string, texts []string) ([]float64, error)
}

// StepRerank is the name in Answer.Degraded of a Reranker that failed, timed out or
// returned an invalid answer: the hits are in the order that they have without it.
const StepRerank = "rerank"

const (
	defaultRerankBudget = 2 * time.Second
	// defaultReranked is how many candidates a Reranker judges by default. maxReranked
	// bounds that number: all that are ordered by relevance.
	defaultReranked = 50
	maxReranked     = relevanceDepth
	// Maximum sizes of the texts for a Reranker, in bytes: of an entry, of the header in
	// it (key, description, tags, day), and of the query. 2,000 bytes are about 500 tokens
	// of English, the window of common cross-encoders.
	rerankTextBytes   = 2000
	rerankHeaderBytes = 500
	rerankQueryBytes  = 4000
)

var errRerankScores = errors.New("the reranker did not return a finite number for each text")

// judgement is a Reranker's judgement of a candidate.
type judgement struct {
	logOdds float32
	// rank is the position among the judged candidates, from 1, and revision the revision
	// of the row whose text was judged; both 0 on a page after the first.
	rank     int
	revision int64
}

// verdict holds a Reranker's judgements of the candidates of the first page.
type verdict struct {
	judgements map[uuid.UUID]judgement
	asked      bool // the Reranker was asked, or there was no text to send
	failed     bool
}

// judged is a judgement with its effect on a candidate's score.
type judged struct {
	judgement
	summand float64 // of the score
}

// rerank asks the Reranker, if there is one, to judge the first candidates of a first page
// that is ordered by relevance. It returns found with the verdict, which later calls of
// assess take into account. It waits for the answer outside of any snapshot, so that a slow
// service holds no database reader. It asks once: when the legs have found enough, or last
// says that they will not be asked again.
func (s *Searcher) rerank(ctx context.Context, q *searchQuery, found *retrieved, last bool) (_ *retrieved, err error) {
	if found.verdict.asked || !s.reranks(q) || len(found.lexical)+len(found.vector) == 0 {
		return found, nil
	}
	ctx, end := s.startStep(ctx, StepRerank, &tookOf(ctx).Rerank)
	defer end(&err)
	texts, short, err := s.toJudge(ctx, q.counted(), found)
	if err != nil || short && !last {
		return found, err
	}
	judged := *found
	judged.verdict.asked = true
	if len(texts) == 0 {
		return &judged, nil
	}
	said, err := s.judge(ctx, found.wordings, texts)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		s.log.WarnContext(ctx, "reranking failed", "error", err)
		judged.verdict.failed = true
		return &judged, nil
	}
	judged.verdict.judgements = rankJudgements(texts, said)
	return &judged, nil
}

// reranks reports whether a search asks the Reranker.
//
// SECURITY: the question has the label of the session, and the session reads no text with a
// higher label.
func (s *Searcher) reranks(q *searchQuery) bool {
	return s.reranker != nil && q.asOf == nil && q.caller.Taint.CanFlowTo(s.rerankLabel) && q.page == nil && q.request.Ranking != RankingRRF && q.asks()
}

// sentText is the text of a candidate for the Reranker.
type sentText struct {
	entry    uuid.UUID
	revision int64
	wording  int // index of the wording to which it is most relevant
	text     string
}

// toJudge reads in one snapshot the texts of the most relevant candidates that may be sent, most
// relevant first. short says that the legs should be asked for more. What the filter reads here
// does not count toward the limits of other steps, nor the time of ranking toward Took.Rank.
func (s *Searcher) toJudge(ctx context.Context, q *searchQuery, found *retrieved) (texts []sentText, short bool, err error) {
	ctx = withTook(ctx, new(Took)) // the caller measures the whole step
	err = s.view(ctx, q.caller, func(tx memory.ReadTx) error {
		// SECURITY: the scope of this snapshot decides what is sent.
		scope, err := s.searchScope(ctx, tx, q.caller, q.request)
		if err != nil {
			return err
		}
		in := s.within(tx, q.bounded(scope), q)
		merged, err := s.mergeFound(ctx, in, q, found)
		if err != nil {
			return err
		}
		short = merged.short
		head := limitHits(merged.ordered, relevanceDepth, depthOf)
		if err := s.assess(ctx, in, q, found, head); err != nil {
			return err
		}
		head = slices.DeleteFunc(head, func(c *candidate) bool { return !q.maySend(c) })
		slices.SortFunc(head, compareScore)
		texts, err = readTexts(ctx, in, q, found, head[:min(s.reranked, len(head))])
		return err
	})
	return texts, short, err
}

// maySend reports whether a candidate's text may be sent to the Reranker, which may be an
// external service.
//
// SECURITY: text of stores on which the caller has level search or an offer is not sent: it
// is sold and shown within caps. The value of an encrypted entry is unknown here, and an
// entry that is not in context may go only to its owner. A session sees no label above its
// taint: the ceiling of each access is the taint, or lower by a grant. maySend checks this
// again because text that was sent cannot be taken back.
func (q *searchQuery) maySend(c *candidate) bool {
	return c.access.sent && !isMetered(c.access.Access) && c.entry.Searchable() &&
		c.access.Sees(c.entry.Label) && c.entry.Label.CanFlowTo(q.caller.Taint)
}

// readTexts returns the texts to send for candidates. It reads a batch of values at a time.
func readTexts(ctx context.Context, in snapshot, q *searchQuery, found *retrieved, candidates []*candidate) (texts []sentText, err error) {
	for len(candidates) > 0 {
		n := memory.BatchOf(len(candidates), func(i int) int { return candidates[i].entry.Size })
		hits, err := loadValues(ctx, in, q, found, candidates[:n])
		if err != nil {
			return nil, err
		}
		if err := readCodes(ctx, in, found, hits); err != nil {
			return nil, err
		}
		for i := range hits {
			c := candidates[i]
			texts = append(texts, sentText{c.entry.ID, c.entry.Revision, c.number, hits[i].textToJudge()})
		}
		candidates = candidates[n:]
	}
	return texts, nil
}

// textToJudge returns the entry's header and its value's text, or the best passage of a long
// text: at most rerankTextBytes in all.
func (h *Hit) textToJudge() string {
	header := memory.ChunkHeader(&h.whole)
	header = header[:boundary(header, min(len(header), rerankHeaderBytes))]
	text := lexical.TextOf(h.whole.Value)
	if room := rerankTextBytes - len(header) - 1; len(text) > room {
		h.cut(passage.Options{Size: room, Most: 1})
		text = h.Passages[0].Text
		text = text[:boundary(text, min(len(text), room))]
	}
	if header == "" || text == "" {
		return header + text
	}
	return header + "\n" + text
}

// judge asks the Reranker to judge texts, with one call for each wording and within the
// rerank budget. It returns the log-odds in the order of texts.
func (s *Searcher) judge(ctx context.Context, wordings []resolved, texts []sentText) ([]float64, error) {
	ctx, cancel := context.WithTimeout(ctx, s.rerankBudget)
	defer cancel()
	byWording := make([][]int, len(wordings)) // indexes of texts
	for i, t := range texts {
		byWording[t.wording] = append(byWording[t.wording], i)
	}
	all := make([]float64, len(texts))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(MaxWordings) // a long question may have more parts
	for w, of := range byWording {
		if len(of) == 0 {
			continue
		}
		group.Go(func() error {
			said, err := s.judgeBy(ctx, wordings[w].text, texts, of)
			for i, logOdds := range said {
				all[of[i]] = logOdds
			}
			return err
		})
	}
	return all, group.Wait()
}

// judgeBy asks the Reranker to judge the texts with the given indexes for one query.
func (s *Searcher) judgeBy(ctx context.Context, query string, texts []sentText, of []int) ([]float64, error) {
	query = query[:boundary(query, min(len(query), rerankQueryBytes))]
	sent := make([]string, len(of))
	for i, index := range of {
		sent[i] = texts[index].text
	}
	said, err := withDeadline(ctx, func() ([]float64, error) { return s.reranker.Rerank(ctx, query, sent) })
	if err != nil {
		return nil, err
	}
	if len(said) != len(sent) || slices.ContainsFunc(said, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }) {
		return nil, errRerankScores
	}
	return said, nil
}

// rankJudgements returns the judgements of texts by entry, rounded to single precision like
// those in a cursor.
func rankJudgements(texts []sentText, logOdds []float64) map[uuid.UUID]judgement {
	order := make([]int, len(texts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(logOdds[b], logOdds[a]) })
	all := make(map[uuid.UUID]judgement, len(texts))
	for n, i := range order {
		odds := min(max(logOdds[i], -fusion.MaxLogOdds), fusion.MaxLogOdds)
		all[texts[i].entry] = judgement{logOdds: float32(odds), rank: n + 1, revision: texts[i].revision}
	}
	return all
}

// logOddsOf returns the log-odds of judgements, for a cursor.
func logOddsOf(judgements map[uuid.UUID]judgement) map[uuid.UUID]float32 {
	if judgements == nil {
		return nil
	}
	all := make(map[uuid.UUID]float32, len(judgements))
	for id, j := range judgements {
		all[id] = j.logOdds
	}
	return all
}

// judgementsOf returns judgements with the log-odds of a cursor.
func judgementsOf(logOdds map[uuid.UUID]float32) map[uuid.UUID]judgement {
	if logOdds == nil {
		return nil
	}
	all := make(map[uuid.UUID]judgement, len(logOdds))
	for id, odds := range logOdds {
		all[id] = judgement{logOdds: odds}
	}
	return all
}

// weigh adds an assessed candidate's judgement to its score and relevance, unless the row has
// changed since it was judged. at is the instant of the first page.
func (v *verdict) weigh(c *candidate, at time.Time) {
	c.judged = nil
	j, ok := v.judgements[c.entry.ID]
	if !ok || j.revision != 0 && j.revision != c.entry.Revision || j.revision == 0 && c.entry.UpdatedAt.After(at) {
		return
	}
	summand := fusion.Judged(c.score, float64(j.logOdds))
	c.judged = &judged{j, summand}
	c.score += summand
	c.relevance = fusion.RelevanceOf(c.score)
}

// explain returns the judgement for an explanation; nil if j is nil.
func (j *judged) explain() *Judgement {
	if j == nil {
		return nil
	}
	return &Judgement{Rank: j.rank, Score: fusion.Probability(float64(j.logOdds))}
}
