package sqlcommon

import (
	"context"
	"errors"
	"testing"
)

// snapshot is a Reader of a database whose last change is at a position.
type snapshot struct {
	Reader
	last int64
}

func (s *snapshot) Each(_ context.Context, scan func(Row) error, text string, _ ...any) error {
	if text == "change.last" {
		return scan(positionRow(s.last))
	}
	return nil // there is no record of the change
}

type positionRow int64

func (r positionRow) Scan(dest ...any) error {
	*dest[0].(*int64) = int64(r)
	return nil
}

// A transaction may compare its snapshot with a later one, which a concurrent transaction has
// read meanwhile. That is no sign of lost commits.
func TestALaterSnapshotNextToAnEarlierOneIsNoOtherDatabase(t *testing.T) {
	var c Continuity
	reads := func(last int64) Reads { return NewReads(&snapshot{last: last}, nil, &Dialect{}) }
	named := func(context.Context) (string, error) { return "one", nil }
	if err := c.Follow(t.Context(), reads(5), named); err != nil {
		t.Fatal(err)
	}
	meanwhile := func(ctx context.Context) (string, error) { // the first read, which takes the snapshot
		return "one", c.Follow(ctx, reads(6), named)
	}
	if err := c.Check(t.Context(), reads(5), meanwhile); err != nil || c.Replaced() {
		t.Fatalf("beside a later one: %v", err)
	}
	if err := c.Check(t.Context(), reads(5), named); !errors.Is(err, ErrReplaced) || !c.Replaced() {
		t.Errorf("a database without the last change: %v", err)
	}
}
