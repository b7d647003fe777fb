package acl

import "fmt"

// Level is what an agent may do with a store. Levels are ordered; each includes
// the ones below it. The zero value allows nothing.
type Level uint8

// The levels, lowest first.
const (
	None      Level = iota
	Search          // search only
	Read            // also get, list, view, history, export
	ReadWrite       // also create, edit, rename, share, unshare, delete
)

var levelNames = [...]string{None: "none", Search: "search", Read: "read", ReadWrite: "readwrite"}

// ParseLevel parses the name of a level that can be granted.
func ParseLevel(name string) (Level, error) {
	for l := Search; l <= ReadWrite; l++ {
		if levelNames[l] == name {
			return l, nil
		}
	}
	return None, fmt.Errorf("level must be one of search, read, readwrite")
}

// Valid reports whether l can be granted.
func (l Level) Valid() bool { return l >= Search && l <= ReadWrite }

// String returns the level's name.
func (l Level) String() string {
	if l > ReadWrite {
		return "none"
	}
	return levelNames[l]
}

// MarshalText returns the level's name.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText parses the name of a level that can be granted.
func (l *Level) UnmarshalText(text []byte) (err error) {
	*l, err = ParseLevel(string(text))
	return err
}
