package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
)

// keptOutcome is the record of an item's outcome under an Idempotency-Key. The IDs of the
// entries that puts wrote are not here but in IdempotencyRecord.IDs, in the order of the items.
type keptOutcome struct {
	Created bool         `json:"c,omitempty"`
	Refusal *keptRefusal `json:"r,omitempty"`
}

// keptBatch is the record of one transaction of a batch. If the batch has several transactions,
// the keys of the later records contain the ID of the first one.
type keptBatch struct {
	ID       uuid.UUID     `json:"id"`
	Outcomes []keptOutcome `json:"o"`
}

// UnmarshalJSON implements json.Unmarshaler. The previous version of mneme, whose batches were
// one transaction each, recorded only the outcomes.
func (k *keptBatch) UnmarshalJSON(text []byte) error {
	if text[0] == '[' {
		return json.Unmarshal(text, &k.Outcomes)
	}
	type plain keptBatch
	return json.Unmarshal(text, (*plain)(k))
}

// record returns the record of the items that this transaction performed, and the record's id.
// It has no outcomes of gets: a repeated call reads their entries again.
func (b *batch) record() (record IdempotencyRecord, id uuid.UUID, err error) {
	if id, err = newID(); err != nil {
		return record, id, err
	}
	kept := make([]keptOutcome, b.end)
	for i := range kept {
		switch o := &b.outcomes[i]; {
		case b.Items[i].Op == BatchGet:
		case o.Err != nil:
			kept[i].Refusal = keepRefusal(o.Err)
		case b.Items[i].Op == BatchPut:
			kept[i].Created = o.Created
			record.IDs = append(record.IDs, o.ID)
		}
	}
	record.Numbers, err = json.Marshal(keptBatch{id, kept})
	return record, id, err
}

// repeat answers the items that an earlier call's transaction performed, and returns the id of
// the record of that transaction.
func (b *batch) repeat(ctx context.Context, tx Tx, record *IdempotencyRecord) (id uuid.UUID, err error) {
	var recorded keptBatch
	if err := json.Unmarshal(record.Numbers, &recorded); err != nil {
		return id, err
	}
	kept := recorded.Outcomes
	if len(kept) == 0 || len(kept) > len(b.Items) { // impossible: both calls have the same body
		return id, fmt.Errorf("the record of a batch of %d items has %d", len(b.Items), len(kept))
	}
	b.Items = b.Items[:len(kept)]
	b.room += writtenBytes(b.Items) // gets may read more: entries may have other values now
	b.Atomic = false
	ids := record.IDs
	return recorded.ID, b.run(ctx, func(ctx context.Context, i int) error {
		op := b.Items[i].Op
		switch {
		case op == BatchGet:
			return b.get(ctx, tx, i)
		case kept[i].Refusal == nil && op == BatchPut:
			if len(ids) == 0 {
				return errors.New("the record of a batch has too few ids")
			}
			id := ids[0]
			ids = ids[1:]
			return b.repeatPut(ctx, tx, i, id, kept[i].Created)
		}
		if err := b.access.Require(acl.ReadWrite); err != nil {
			return err
		}
		return kept[i].Refusal.err()
	})
}

// repeatPut answers a put that wrote the entry with the given id in an earlier call.
func (b *batch) repeatPut(ctx context.Context, tx Tx, i int, id uuid.UUID, created bool) error {
	if b.denied != nil {
		return b.denied
	}
	e, err := visibleAt(ctx, tx, b.caller, b.access, b.Items[i].Path, b.now)
	switch {
	case err != nil:
		return err
	case e.ID != id:
		return ErrNotFound
	}
	if err := b.take(e); err != nil {
		return err
	}
	b.outcomes[i].PutResult = PutResult{Found: b.withETag(*e), Created: created}
	b.found = append(b.found, i)
	return b.readFound(ctx)
}

// keptRefusal is the record of an error for which isRefusal is true. It contains no text of the
// request.
type keptRefusal struct {
	Kind     string        `json:"k"`
	Field    string        `json:"f,omitempty"` // of a rule
	Text     string        `json:"t,omitempty"` // a rule, or the reason of a conflict
	TooLarge bool          `json:"l,omitempty"`
	Limit    string        `json:"q,omitempty"` // of a quota
	Max      int64         `json:"m,omitempty"`
	After    time.Duration `json:"a,omitempty"`
}

// plainRefusals are the refusals without further data, by their keptRefusal.Kind.
var plainRefusals = map[string]error{
	"not-found": ErrNotFound, "conflict": ErrConflict, "precondition": ErrPrecondition,
	"denied": acl.ErrDenied, "id": acl.ErrBadID,
}

func keepRefusal(err error) *keptRefusal {
	var broken *RuleError
	var full *QuotaError
	var clash *ConflictError
	switch {
	case errors.As(err, &broken):
		return &keptRefusal{Kind: "rule", Field: broken.Field, Text: broken.Rule, TooLarge: broken.TooLarge}
	case errors.As(err, &full):
		return &keptRefusal{Kind: "quota", Limit: full.Limit, Max: full.Max, After: full.RetryAfter}
	case errors.As(err, &clash):
		return &keptRefusal{Kind: "clash", Text: clash.Reason}
	}
	for kind, plain := range plainRefusals {
		if errors.Is(err, plain) {
			return &keptRefusal{Kind: kind}
		}
	}
	return &keptRefusal{Kind: "conflict"}
}

// err returns the refusal, or nil if there is none.
func (k *keptRefusal) err() error {
	switch {
	case k == nil:
		return nil
	case k.Kind == "rule":
		return &RuleError{Field: k.Field, Rule: k.Text, TooLarge: k.TooLarge}
	case k.Kind == "quota":
		return &QuotaError{Limit: k.Limit, Max: k.Max, RetryAfter: k.After}
	case k.Kind == "clash":
		return conflict(k.Text)
	}
	if err, known := plainRefusals[k.Kind]; known {
		return err
	}
	return ErrConflict
}
