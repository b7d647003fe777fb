package acl

import "fmt"

// Level is what an agent may do with a store. Levels are ordered; each allows
// what the one below it allows. The zero value allows nothing.
type Level uint8

// The levels, lowest first.
const (
	None      Level = iota
	Search          // search alone
	Read            // and get, list, view, history, export
	ReadWrite       // and create, edit, rename, share, unshare, delete
)

var levelNames = [...]string{None: "none", Search: "search", Read: "read", ReadWrite: "readwrite"}

// ParseLevel reads the name of a level that can be granted.
func ParseLevel(name string) (Level, error) {
	for l := Search; l <= ReadWrite; l++ {
		if levelNames[l] == name {
			return l, nil
		}
	}
	return None, fmt.Errorf("level must be one of search, read, readwrite")
}

// Valid tells whether l can be granted.
func (l Level) Valid() bool { return l >= Search && l <= ReadWrite }

// String is the level's name.
func (l Level) String() string {
	if l > ReadWrite {
		return "none"
	}
	return levelNames[l]
}

// MarshalText writes the level's name.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads the name of a level that can be granted.
func (l *Level) UnmarshalText(text []byte) (err error) {
	*l, err = ParseLevel(string(text))
	return err
}
