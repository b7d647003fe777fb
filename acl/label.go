// Package acl decides who may do what. It defines labels, levels, principals,
// the cascade of rules that gives an agent access to a store, and the Scope of
// a search. It does no I/O: the data it decides on comes through Facts.
package acl

import "fmt"

// Label is the classification of an entry or of a session (its taint). Labels
// are ordered. The zero value is no label and can flow nowhere.
type Label uint8

// The four labels, lowest first.
const (
	Public Label = iota + 1
	Internal
	Confidential
	Restricted
)

var labelNames = [...]string{Public: "PUBLIC", Internal: "INTERNAL", Confidential: "CONFIDENTIAL", Restricted: "RESTRICTED"}

// ParseLabel parses a label's name. Names are upper-case.
func ParseLabel(name string) (Label, error) {
	for l := Public; l <= Restricted; l++ {
		if labelNames[l] == name {
			return l, nil
		}
	}
	return 0, fmt.Errorf("label must be one of PUBLIC, INTERNAL, CONFIDENTIAL, RESTRICTED")
}

// Valid reports whether l is one of the four labels.
func (l Label) Valid() bool { return l >= Public && l <= Restricted }

// CanFlowTo reports whether data labelled l may be shown where the highest
// permitted label is ceiling.
func (l Label) CanFlowTo(ceiling Label) bool {
	return l.Valid() && ceiling.Valid() && l <= ceiling
}

// String returns the label's name, "" for an invalid label.
func (l Label) String() string {
	if !l.Valid() {
		return ""
	}
	return labelNames[l]
}

// MarshalText returns the label's name.
func (l Label) MarshalText() ([]byte, error) {
	if !l.Valid() {
		return nil, fmt.Errorf("label %d is not one of the four labels", uint8(l))
	}
	return []byte(labelNames[l]), nil
}

// UnmarshalText parses the label's name.
func (l *Label) UnmarshalText(text []byte) (err error) {
	*l, err = ParseLabel(string(text))
	return err
}
