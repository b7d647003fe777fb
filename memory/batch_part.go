package memory

import (
	"context"

	"github.com/google/uuid"
)

// writeBatch is Batch with writes, a transaction after another.
func (s *Service) writeBatch(ctx context.Context, c Caller, r BatchRequest) ([]BatchOutcome, error) {
	outcomes := make([]BatchOutcome, 0, len(r.Items))
	room, first := s.roomFor(r.Items), uuid.Nil
	rest := r
	for n := 1; ; n++ {
		var b *batch
		var id uuid.UUID
		err := s.update(ctx, c, rest.work(), func(tx Tx) (err error) {
			b, id, err = s.updateBatch(ctx, tx, c, rest, room)
			return err
		})
		if n > 1 && isRefusal(err) { // what the caller may do has changed: the items before it are done
			for range rest.Items {
				outcomes = append(outcomes, BatchOutcome{Err: err})
			}
			return outcomes, nil
		}
		if err != nil {
			return nil, err
		}
		s.indexer.Wake()
		outcomes, room = append(outcomes, b.outcomes[:b.end]...), b.room
		if len(outcomes) == len(r.Items) {
			return outcomes, nil
		}
		if n == 1 {
			first = id
		}
		rest.Items, rest.Idempotency = r.Items[len(outcomes):], r.Idempotency.batch(n, first)
	}
}

// updateBatch does the first items in a transaction, with sources as they are. id is that
// of its record.
func (s *Service) updateBatch(ctx context.Context, tx Tx, c Caller, r BatchRequest, room int) (b *batch, id uuid.UUID, err error) {
	counted := newCosted(tx)
	if b, err = s.newBatch(ctx, counted, c, r, room); err != nil {
		return nil, id, err
	}
	record, err := s.Outcomes().Recorded(ctx, tx, c, r.Idempotency)
	if err != nil {
		return nil, id, err
	}
	if record != nil {
		id, err = b.repeat(ctx, counted, record)
		return b, id, err
	}
	b.costs = counted
	if err := b.prefetch(ctx, counted); err != nil {
		return nil, id, err
	}
	if err := b.run(ctx, func(ctx context.Context, i int) error { return b.do(ctx, counted, i) }); err != nil {
		return nil, id, err
	}
	kept, id, err := b.record()
	if err != nil {
		return nil, id, err
	}
	return b, id, s.Outcomes().Record(ctx, tx, c, r.Idempotency, kept)
}

// guess returns about what an item costs, as far as the request says.
func (item *BatchItem) guess() int {
	switch item.Op {
	case BatchPut:
		return guessCost(len(item.Value))
	case BatchDelete:
		return entryCost
	}
	return 0
}

// ahead returns how many of the items are likely to be in one transaction.
func (r *BatchRequest) ahead() int {
	if r.Atomic {
		return len(r.Items)
	}
	cost := 0
	for i := range r.Items {
		if cost += r.Items[i].guess(); cost > partCost {
			return max(1, i)
		}
	}
	return len(r.Items)
}

// work returns what the next transaction is about to write.
func (r *BatchRequest) work() Work {
	work := Work{Stores: []string{r.Store}, Entries: -1}
	for i := range r.ahead() {
		if r.Items[i].Op != BatchGet {
			work.Entries++
		}
	}
	work.Entries = max(work.Entries, 0)
	work.Bytes = writtenBytes(r.Items[:r.ahead()])
	return work
}

// full reports whether an item is left to the next transaction.
func (b *batch) full(i int) bool {
	return b.costs != nil && !b.Atomic && i > 0 && b.costs.spent+b.Items[i].guess() > partCost
}

// checkCost refuses an atomic batch that costs more than one transaction may.
func (b *batch) checkCost() error {
	if b.costs == nil || !b.Atomic || b.costs.spent <= wholeCost {
		return nil
	}
	return &RuleError{Field: "items", TooLarge: true, Rule: "must change less at once in an atomic batch: others wait for it"}
}
