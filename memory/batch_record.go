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

// keptOutcome is what is recorded of an item under an Idempotency-Key. The ids of
// the entries that puts left are those of the record, in the order of the items.
type keptOutcome struct {
	Created bool         `json:"c,omitempty"`
	Refusal *keptRefusal `json:"r,omitempty"`
}

// record returns what is recorded of a batch. A get is read again.
func (b *batch) record() (IdempotencyRecord, error) {
	var record IdempotencyRecord
	kept := make([]keptOutcome, len(b.Items))
	for i := range b.outcomes {
		switch o := &b.outcomes[i]; {
		case b.Items[i].Op == BatchGet:
		case o.Err != nil:
			kept[i].Refusal = keepRefusal(o.Err)
		case b.Items[i].Op == BatchPut:
			kept[i].Created = o.Created
			record.IDs = append(record.IDs, o.ID)
		}
	}
	var err error
	record.Numbers, err = json.Marshal(kept)
	return record, err
}

// repeat answers a batch that was done before.
func (b *batch) repeat(ctx context.Context, tx Tx, record *IdempotencyRecord) error {
	var kept []keptOutcome
	if err := json.Unmarshal(record.Numbers, &kept); err != nil {
		return err
	}
	if len(kept) != len(b.Items) { // the digest of the body is the same
		return fmt.Errorf("the record of a batch of %d items has %d", len(b.Items), len(kept))
	}
	b.room = b.limits.Batch.Bytes // entries may have other values now
	b.Atomic = false
	ids := record.IDs
	return b.run(ctx, func(ctx context.Context, i int) error {
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

// repeatPut answers a put that left the entry with an id.
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

// keptRefusal is an error of isRefusal as it is recorded. It has no text of a
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

// plainRefusals are the refusals without members.
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

// err returns the refusal; nil of none.
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
