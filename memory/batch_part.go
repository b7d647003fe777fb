package memory

import (
	"context"

	"github.com/google/uuid"

	"mneme/acl"
)

// writeBatch performs a Batch that has writes, in consecutive transactions.
func (s *Service) writeBatch(ctx context.Context, c Caller, r BatchRequest) (outcomes []BatchOutcome, a acl.Access, err error) {
	outcomes = make([]BatchOutcome, 0, len(r.Items))
	room, first := s.roomFor(r.Items), uuid.Nil
	rest := r
	for n := 1; ; n++ {
		var b *batch
		var id uuid.UUID
		err := s.update(ctx, c, rest.work(), func(tx Tx) (err error) {
			b, id, err = s.updateBatch(ctx, tx, c, rest, room)
			return err
		})
		if n > 1 && isRefusal(err) { // the caller's rights have changed: the items done so far stay
			for range rest.Items {
				outcomes = append(outcomes, BatchOutcome{Err: err})
			}
			return outcomes, a, nil
		}
		if err != nil {
			return nil, a, err
		}
		a = b.access
		s.indexer.Wake()
		outcomes, room = append(outcomes, b.outcomes[:b.end]...), b.room
		if len(outcomes) == len(r.Items) {
			return outcomes, a, nil
		}
		if n == 1 {
			first = id
		}
		rest.Items, rest.Idempotency = r.Items[len(outcomes):], r.Idempotency.batch(n, first)
	}
}

// updateBatch performs the first of the batch's items in a transaction, as many as fit. The
// sources in the outcomes are still whole: see showSources. id identifies the record of the
// transaction.
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

// bytes returns the number of bytes of the value that an item writes.
func (item *BatchItem) bytes() int {
	if item.Op == BatchPut {
		return len(item.Value)
	}
	return 0
}

// work returns what the next transaction will write.
func (r *BatchRequest) work() Work {
	return Work{Stores: []string{r.Store}, Entries: len(r.Items) - 1, Bytes: writtenBytes(r.Items)}
}

// full reports whether item i must wait for the next transaction of the batch.
func (b *batch) full(i int) bool {
	return b.costs != nil && !b.Atomic && i > 0 && b.Items[i].Op != BatchGet && b.costs.full(b.Items[i].bytes())
}

// checkCost refuses an atomic batch that costs more than one transaction may.
func (b *batch) checkCost() error {
	if b.costs == nil || !b.Atomic || b.costs.spent <= wholeCost {
		return nil
	}
	return &RuleError{Field: "items", TooLarge: true, Rule: "must change less at once in an atomic batch: others wait for it"}
}
