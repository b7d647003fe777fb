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
	Mark string // precedes the number in a parameter's name: $ in $1
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

// Add adds an entry. It returns an error, which ends the query, if there are now more than the
// limit.
func (m *Matches) Add(id uuid.UUID) error {
	if m.IDs = append(m.IDs, id); len(m.IDs) > m.Limit {
		return errEnough
	}
	return nil
}

// Result returns the results of memory.CandidateReader.Matching after a query has ended with
// err: the entries, or only true if there are more than the limit.
func (m *Matches) Result(err error) ([]uuid.UUID, bool, error) {
	if errors.Is(err, errEnough) {
		return nil, true, nil
	}
	return m.IDs, false, err
}

// AddRow adds the entry of a row, whose only column is the ID.
func (m *Matches) AddRow(row Row) error {
	var id uuid.UUID
	if err := row.Scan(&id); err != nil {
		return err
	}
	return m.Add(id)
}

// JudgeValue returns a function that adds the entry of a row if its value fulfils part, a part
// of the filter. The row has the columns ID, encrypted and value.
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

// JudgeEntry returns a function that adds the entry of a row, which has the columns of
// ScanEntries, if the entry passes the filter.
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

// ValuePart returns the part of a condition that reads values, if a query has already decided
// about all the rest of the filter. Otherwise it returns nil: then JudgeEntry must decide.
func ValuePart(filter memory.Filter, where *condition.Condition) *condition.Condition {
	if filter.Match != nil || where == nil || !where.ReadsValue() {
		return nil
	}
	if part, alone := where.ValuePart(); alone {
		return part
	}
	return nil
}
