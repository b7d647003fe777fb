package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
)

// BatchLimits bound a Batch.
type BatchLimits struct {
	Items int
	Bytes int // total bytes of the values in the outcomes
}

// BatchOp is the operation of an item of a batch.
type BatchOp int

// The operations of items.
const (
	BatchPut BatchOp = iota + 1
	BatchGet
	BatchDelete
)

// BatchItem is a put, get or delete in the batch's store.
type BatchItem struct {
	Op BatchOp
	// PutRequest has the path of every item, without its store. It also has the preconditions
	// of a put or delete, and the fields of a put. Wait is ignored.
	PutRequest
}

// BatchRequest asks for several puts, gets and deletes in one store.
type BatchRequest struct {
	Store string
	Items []BatchItem
	// Atomic performs all items or none.
	Atomic      bool
	Idempotency *Idempotency // nil: none
}

// BatchOutcome is the outcome of one item.
type BatchOutcome struct {
	PutResult       // of a put; a get sets only Found
	Err       error // why the item was refused; nil if it was not
}

// BatchError says which item of an atomic batch was refused. No item was then performed.
type BatchError struct {
	Item int // index of the item
	Err  error
}

func (e *BatchError) Error() string { return fmt.Sprintf("item %d: %v", e.Item, e.Err) }

// Unwrap returns why the item was refused.
func (e *BatchError) Unwrap() error { return e.Err }

// Batch performs the items in order. Each item has the outcome that Put, Get or Delete would
// have after the items before it. If an item is refused, the others are performed nevertheless,
// unless the batch is atomic: then the error is a BatchError, and nothing was changed. An
// atomic batch is one transaction at one instant. Other batches are split into transactions by
// partCost; if one of these fails, Batch returns its error, and the items of the earlier
// transactions stay performed. The caller needs read on the store.
func (s *Service) Batch(ctx context.Context, c Caller, r BatchRequest) ([]BatchOutcome, error) {
	r.Items = slices.Clone(r.Items)
	writes := r.Idempotency != nil
	for i := range r.Items {
		r.Items[i].PutRequest = r.Items[i].normal()
		r.Items[i].Path.Store = r.Store
		writes = writes || r.Items[i].Op != BatchGet
	}
	var outcomes []BatchOutcome
	var a acl.Access
	var err error
	if writes {
		outcomes, a, err = s.writeBatch(ctx, c, r)
	} else {
		err = s.view(ctx, c, func(tx ReadTx) error {
			b, err := s.newBatch(ctx, tx, c, r, s.roomFor(r.Items))
			if err != nil {
				return err
			}
			if err := b.run(ctx, func(ctx context.Context, i int) error { return b.get(ctx, tx, i) }); err != nil {
				return err
			}
			outcomes, a = b.outcomes, b.access
			return s.showSources(ctx, tx, c, foundOf(outcomes)...)
		})
	}
	if err != nil {
		return nil, asConflict(err)
	}
	s.Named(ctx, c, a)
	if writes {
		s.showWritten(ctx, c, foundOf(outcomes)...)
	}
	return outcomes, nil
}

// foundOf returns the entries of outcomes, in order. An outcome without an entry has an empty
// one.
func foundOf(outcomes []BatchOutcome) []*Found {
	found := make([]*Found, len(outcomes))
	for i := range outcomes {
		found[i] = &outcomes[i].Found
	}
	return found
}

// batch is one transaction of a Batch.
type batch struct {
	*Service
	facts  accessReader
	caller Caller
	BatchRequest
	now      time.Time
	access   acl.Access
	denied   error   // why the caller may not put; nil if it may
	costs    *costed // of the transaction; nil if it only reads
	outcomes []BatchOutcome
	end      int   // number of items performed
	room     int   // bytes left for further values that are read
	found    []int // indexes of gets whose values are not read yet
	unread   int   // bytes of these values
}

// newBatch authorises a batch. The caller's rights in the store are the same for all items.
func (s *Service) newBatch(ctx context.Context, tx accessReader, c Caller, r BatchRequest, room int) (*batch, error) {
	now := s.Instant()
	a, err := access(ctx, tx, c, r.Store, acl.Read, now)
	if err != nil {
		return nil, err
	}
	_, denied := writeAccess(ctx, tx, c, r.Store, now)
	if denied != nil && !isRefusal(denied) {
		return nil, denied
	}
	if n := len(r.Items); n < 1 || n > s.limits.Batch.Items {
		return nil, rule("items", "must be 1 to %d", s.limits.Batch.Items)
	}
	return &batch{
		Service: s, facts: tx, caller: c, BatchRequest: r, now: now, access: a, denied: denied,
		outcomes: make([]BatchOutcome, len(r.Items)), room: room,
	}, nil
}

// roomFor returns the maximum number of bytes of the values that gets of a batch read.
func (s *Service) roomFor(items []BatchItem) int { return s.limits.Batch.Bytes - writtenBytes(items) }

// writtenBytes returns the number of bytes of the values that items write.
func writtenBytes(items []BatchItem) (bytes int) {
	for i := range items {
		bytes += items[i].bytes()
	}
	return bytes
}

// prefetch reads the rows at the items' paths if any item may write.
func (b *batch) prefetch(ctx context.Context, tx Tx) error {
	if b.access.Level < acl.ReadWrite {
		return nil
	}
	var paths []Path
	for i := range b.Items {
		if path := b.Items[i].Path; CheckPath(path) == nil {
			paths = append(paths, path)
		}
	}
	if len(paths) == 0 {
		return nil
	}
	return tx.PrepareWrite(ctx, WritePlan{b.Store, paths, b.caller.Taint, b.caller.Agent})
}

// run performs the items in order, with do, until the transaction is full.
func (b *batch) run(ctx context.Context, do func(ctx context.Context, i int) error) error {
	for i := range b.Items {
		if b.full(i) {
			break
		}
		if b.Items[i].Op != BatchGet {
			if err := b.readFound(ctx); err != nil { // before a later item changes one of the entries
				return err
			}
		}
		if err := b.checkCost(); err != nil {
			return err
		}
		err := asConflict(do(ctx, i))
		if err != nil && !isRefusal(err) {
			return err
		}
		if err != nil && b.Atomic {
			return &BatchError{Item: i, Err: err}
		}
		b.outcomes[i].Err = err
		b.end = i + 1
	}
	return cmp.Or(b.checkCost(), b.readFound(ctx))
}

// do performs one item.
func (b *batch) do(ctx context.Context, tx Tx, i int) (err error) {
	item := &b.Items[i]
	switch item.Op {
	case BatchPut:
		if b.denied != nil {
			return b.denied
		}
		if err := b.checkWrite(b.access, item.PutRequest); err != nil {
			return err
		}
		b.outcomes[i].PutResult, _, err = b.put(ctx, tx, b.caller, b.access, item.PutRequest, b.now, nil)
		return err
	case BatchDelete:
		if err := b.access.Require(acl.ReadWrite); err != nil {
			return err
		}
		return b.remove(ctx, tx, b.caller, b.access, item.Path, item.If, b.now)
	default:
		return b.get(ctx, tx, i)
	}
}

// get finds the entry of a get. Its value is read later, batched with others.
func (b *batch) get(ctx context.Context, tx EntryReader, i int) error {
	e, err := visibleAt(ctx, tx, b.caller, b.access, b.Items[i].Path, b.now)
	if err != nil {
		return err
	}
	if err := b.take(e); err != nil {
		return err
	}
	b.outcomes[i].Found = b.withETag(*e)
	b.found, b.unread = append(b.found, i), b.unread+e.bytes()
	if b.unread >= BatchBytes {
		return b.readFound(ctx)
	}
	return nil
}

// take reserves room for the value of an entry to read.
func (b *batch) take(e *Entry) error {
	if e.bytes() > b.room {
		return &RuleError{
			Field: "items", TooLarge: true,
			Rule: fmt.Sprintf("the values of a batch must be at most %d bytes; get this one in another", b.limits.Batch.Bytes),
		}
	}
	b.room -= e.bytes()
	return nil
}

// readFound reads the values of the entries that gets found.
func (b *batch) readFound(ctx context.Context) error {
	if len(b.found) == 0 {
		return nil
	}
	entries := make([]Entry, 0, len(b.found))
	for _, i := range b.found {
		entries = append(entries, b.outcomes[i].Entry)
	}
	whole, err := b.facts.Get(ctx, idsOf(entries))
	if err != nil {
		return err
	}
	byID := make(map[uuid.UUID]Entry, len(whole))
	for _, e := range whole {
		byID[e.ID] = e
	}
	for _, i := range b.found {
		found := &b.outcomes[i].Found
		e, ok := byID[found.ID]
		if !ok { // it was found in this transaction
			return ErrStale
		}
		found.Entry = e
	}
	b.found, b.unread = nil, 0
	return nil
}
