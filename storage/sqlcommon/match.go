package sqlcommon

import (
	"errors"
	"strconv"

	"github.com/google/uuid"

	"mneme/internal/condition"
	"mneme/memory"
)

// Arguments collects the parameters of a composed query.
type Arguments struct {
	Mark string // precedes a parameter's number
	Args []any
}

// Arg adds a parameter and returns its name.
func (a *Arguments) Arg(value any) string {
	a.Args = append(a.Args, value)
	return a.Mark + strconv.Itoa(len(a.Args))
}

// Matches collects the entries that pass a filter.
type Matches struct {
	Filter memory.Filter
	Limit  int
	IDs    []uuid.UUID
}

// errEnough ends a query whose remaining rows are not needed.
var errEnough = errors.New("no further rows are needed")

// Add adds an entry. An error ends the query: there are more than the limit.
func (m *Matches) Add(id uuid.UUID) error {
	if m.IDs = append(m.IDs, id); len(m.IDs) > m.Limit {
		return errEnough
	}
	return nil
}

// Result returns the results of memory.CandidateReader.Matching: only true if there are more
// entries than it may return.
func (m *Matches) Result(err error) ([]uuid.UUID, bool, error) {
	if errors.Is(err, errEnough) {
		return nil, true, nil
	}
	return m.IDs, false, err
}

// AddRow adds the entry of a row with its ID.
func (m *Matches) AddRow(row Row) error {
	var id uuid.UUID
	if err := row.Scan(&id); err != nil {
		return err
	}
	return m.Add(id)
}

// JudgeValue adds the entry of a row with its ID, whether it is encrypted, and its value, if it
// passes a part of the filter.
func (m *Matches) JudgeValue(part *condition.Condition) func(Row) error {
	return func(row Row) error {
		var id uuid.UUID
		var fields condition.Entry
		var value Bytes
		if err := row.Scan(&id, &fields.Encrypted, &value); err != nil {
			return err
		}
		if err := m.Filter.Read([]byte(value)); err != nil {
			return err
		}
		if fields.Value = []byte(value); !part.Fits(&fields) {
			return nil
		}
		return m.Add(id)
	}
}

// JudgeEntry adds the entry of a row with the columns of ScanEntries if it passes the
// filter.
func (m *Matches) JudgeEntry() func(Row) error {
	passes, scan := m.Filter.Judge(), ScanEntries()
	return func(row Row) error {
		e, err := scan(row)
		if err != nil {
			return err
		}
		if err := m.Filter.Read(e.Value); err != nil || !passes(&e) {
			return err
		}
		return m.Add(e.ID)
	}
}

// ValuePart returns the part of a condition that reads values, if that part alone decides about
// an entry that the query has found, and otherwise nil.
func ValuePart(filter memory.Filter, where *condition.Condition) *condition.Condition {
	if filter.Match != nil || where == nil || !where.ReadsValue() {
		return nil
	}
	if part, alone := where.ValuePart(); alone {
		return part
	}
	return nil
}
