package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/embed/maxsim"
	"mneme/fusion"
	"mneme/memory"
	"mneme/vector"
)

const (
	// maxSimilar bounds the entries in PutResult.Similar.
	maxSimilar = 3
	// similarDepth is how many visible entries, nearest by vector, are compared with a
	// new one.
	similarDepth = 32
	// similarTokens bounds the tokens of an entry that are compared with another entry.
	similarTokens = 128
)

// Similar returns the entries of an indexed entry's store that say nearly the same or the
// opposite, most alike first, at most maxSimilar; nil if the entry has no vector to compare.
// It searches with the entry's own vector and embeds nothing.
func (s *Searcher) Similar(ctx context.Context, c memory.Caller, e *memory.Entry) (similar []memory.Near, err error) {
	ctx, end := s.startStep(ctx, "similar", nil)
	defer end(&err)
	serving := s.indexer.Serving()
	if len(serving) == 0 {
		return nil, errNoModel
	}
	done, _, err := s.takeTurn(ctx, c, Request{})
	if err != nil {
		return nil, err
	}
	defer done()
	for k, model := range serving {
		q := &likeness{caller: c, entry: e, model: model, second: k == multilingualModel}
		if err := s.view(ctx, c, func(tx memory.ReadTx) error { return s.readOwn(ctx, tx, q) }); err != nil {
			return nil, err
		}
		if q.own.vector != nil { // the model has read the entry
			return s.searchAlike(ctx, q)
		}
	}
	return nil, nil
}

// searchAlike asks the index for the entries nearest to q.entry until enough of them are
// visible, and returns those that are similar.
func (s *Searcher) searchAlike(ctx context.Context, q *likeness) (similar []memory.Near, err error) {
	for fetch := similarDepth; ; fetch *= 4 {
		query := vector.Query{Vector: q.own.vector.Floats(), Limit: fetch}
		found, err := withDeadline(ctx, func() ([]vector.Hit, error) { return q.model.Index.Search(ctx, q.scope, query) })
		if err != nil {
			return nil, err
		}
		var short bool
		err = s.view(ctx, q.caller, func(tx memory.ReadTx) error {
			similar, short, err = s.compare(ctx, tx, q, found)
			return err
		})
		if err != nil || !short || len(found) < fetch || fetch >= maxFetch {
			return similar, err
		}
	}
}

// likeness is a search for the entries that are similar to another.
type likeness struct {
	caller memory.Caller
	entry  *memory.Entry
	model  memory.Model
	second bool // model is the multilingual one
	scope  acl.Scope
	own    firstChunk
}

// firstChunk holds the vector and the codes of an entry's first chunk, which Similar compares.
type firstChunk struct {
	vector vector.Half // nil: there is none
	codes  []byte
}

// readOwn reads the scope and the first chunk of q.entry.
func (s *Searcher) readOwn(ctx context.Context, tx memory.ReadTx, q *likeness) (err error) {
	if q.scope, err = memory.ReadableStore(ctx, tx, q.caller, q.entry.Store, s.instant()); err != nil {
		return err
	}
	chunks, err := q.firstChunks(ctx, tx, q.scope, []uuid.UUID{q.entry.ID})
	q.own = chunks[q.entry.ID]
	return err
}

// firstChunks returns the first chunk of each entry, unless it has no meaning.
func (q *likeness) firstChunks(ctx context.Context, tx memory.ScoreReader, scope acl.Scope, ids []uuid.UUID) (map[uuid.UUID]firstChunk, error) {
	chunks := make(map[uuid.UUID]firstChunk)
	err := tx.Evidence(ctx, scope, memory.EvidenceQuery{Fingerprints: [2]string{q.model.Fingerprint}, Entries: ids}, func(e memory.Evidence) error {
		if e.Chunk == 0 && len(e.Vector) > 0 && !e.Vector.IsMeaningless() {
			chunks[e.Entry] = firstChunk{slices.Clone(e.Vector), slices.Clone(e.Codes)}
		}
		return nil
	})
	return chunks, err
}

// compare returns the similar entries among those found. short says that fewer than
// similarDepth of the found entries are visible.
//
// SECURITY: the rows, read within the scope of this snapshot, decide by the rules of a
// search which entries are named and how many are compared.
func (s *Searcher) compare(ctx context.Context, tx memory.ReadTx, q *likeness, found []vector.Hit) (similar []memory.Near, short bool, err error) {
	scope, err := memory.ReadableStore(ctx, tx, q.caller, q.entry.Store, s.instant())
	if err != nil {
		return nil, false, err
	}
	near, err := s.nearestOthers(ctx, tx, q, scope, found)
	if err != nil {
		return nil, false, err
	}
	chunks, err := q.firstChunks(ctx, tx, scope, idsOf(near))
	if err != nil {
		return nil, false, err
	}
	similar = []memory.Near{}
	for i := range near {
		alike, err := q.alike(chunks[near[i].ID])
		if err != nil {
			return nil, false, fmt.Errorf("entry %s: %w", near[i].ID, err)
		}
		if alike >= fusion.MinAlike {
			similar = append(similar, memory.Near{Entry: near[i], Relevance: alike})
		}
	}
	slices.SortFunc(similar, func(a, b memory.Near) int {
		return cmp.Or(cmp.Compare(b.Relevance, a.Relevance), compareOrder(&a.Entry, &b.Entry))
	})
	return similar[:min(len(similar), maxSimilar)], len(near) < similarDepth, nil
}

// nearestOthers returns the found entries that a search would show to the caller, nearest
// first, at most similarDepth, without those at the path of q.entry.
func (s *Searcher) nearestOthers(ctx context.Context, tx memory.ReadTx, q *likeness, scope acl.Scope, found []vector.Hit) ([]memory.Entry, error) {
	hits, ids := make([]legHit, len(found)), make([]uuid.UUID, len(found))
	for i, hit := range found {
		hits[i], ids[i] = legHit{Entry: hit.Entry, Score: hit.Score}, hit.Entry
	}
	visible := make(map[uuid.UUID]*candidate)
	if err := s.addVisible(ctx, snapshot{tx: tx, scope: scope}, q.caller, memory.Filter{}, ids, visible); err != nil {
		return nil, err
	}
	hits = slices.DeleteFunc(hits, func(h legHit) bool {
		c := visible[h.Entry]
		return c == nil || c.entry.Path == q.entry.Path
	})
	sortHits(hits, func(hit legHit) *memory.Entry { return visible[hit.Entry].entry })
	near := make([]memory.Entry, min(len(hits), similarDepth))
	for i := range near {
		near[i] = *visible[hits[i].Entry].entry
	}
	return near, nil
}

// alike returns the probability, 0–1, that an entry says nearly the same as q.entry or the
// opposite; 0 if the entry has no vector.
func (q *likeness) alike(other firstChunk) (float64, error) {
	if other.vector == nil {
		return 0, nil
	}
	cosines, maxSims := alikeRanges(model{q.model}, q.second)
	maxSim, err := bothMaxSims(q.own.codes, other.codes)
	if err != nil {
		return 0, err
	}
	return fusion.Alike(cosines, maxSims, q.own.vector.Dot(other.vector.Floats()), maxSim), nil
}

// bothMaxSims returns the mean of the two directions of meanMaxSim for two chunks; nil if one
// has no codes.
func bothMaxSims(a, b []byte) (*float64, error) {
	if len(a) == 0 || len(b) == 0 {
		return nil, nil
	}
	there, err := meanMaxSim(a, b)
	if err != nil {
		return nil, err
	}
	back, err := meanMaxSim(b, a)
	return new((there + back) / 2), err
}

// alikeRanges returns the ranges of a model's cosines and MaxSims for two entries.
func alikeRanges(m model, multilingual bool) (cosines, maxSims fusion.CosineRange) {
	if multilingual {
		return fusion.MultilingualAlikeCosines, fusion.MultilingualAlikeMaxSims
	}
	return m.cosines(), fusion.E5MaxSims
}

// meanMaxSim returns the mean, over the first similarTokens tokens of a chunk, of the largest
// cosine with a token of another chunk.
func meanMaxSim(codes, other []byte) (float64, error) {
	tokens, err := maxsim.Vectors(codes, similarTokens)
	if err != nil {
		return 0, err
	}
	best := make([]float32, len(tokens))
	if err := maxsim.Best(tokens, other, best); err != nil {
		return 0, err
	}
	sum := 0.0
	for _, cosine := range best {
		sum += float64(cosine)
	}
	return sum / float64(len(tokens)), nil
}
