package foldersync

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"

	"mneme/markdown"
	"mneme/memory"
)

// Files of a Syncer in the folder. They are hidden from other programs.
const (
	ownFolder   = ".mneme"
	stateFile   = ownFolder + "/sync.json"
	trashFolder = ownFolder + "/trash"
	tempFolder  = ownFolder + "/tmp"
)

// Origin identifies the store and the acting agent of a folder.
type Origin struct {
	Server string `json:"server"` // an address, or a name of the local database
	Store  string `json:"store"`
	Agent  string `json:"agent"`
	Taint  string `json:"taint"`
}

// state is the last common state of both sides.
type state struct {
	Format int    `json:"format"` // 1
	ID     string `json:"id"`     // of this Syncer's run; each run has another
	Origin
	Files map[string]base `json:"files"` // by path, with slashes
	// Trashed are the files whose entries were deleted recently: if one reappears, its
	// entry is restored.
	Trashed  []trashed `json:"trashed,omitempty"`
	Exchange *exchange `json:"exchange,omitempty"`
}

// base describes a file and its entry as they were when they were last equal.
type base struct {
	Namespace string `json:"namespace,omitempty"`
	Key       string `json:"key"`
	ID        string `json:"id,omitempty"`   // of the entry; "" in older states
	Temp      string `json:"temp,omitempty"` // its key during an exchange
	File      string `json:"file"`           // SHA-256 of the file
	Note      string `json:"note"`           // digest of the note in the file
	Entry     string `json:"entry"`          // digest of the entry, which may differ in times that the store rounds
}

// says reports whether a note has the text and the fields of the file, possibly at another
// path. The digests in older states include the path.
func (b base) says(n markdown.Note) bool {
	if digest(n) == b.Note {
		return true
	}
	n.Namespace, n.Name = b.Namespace, b.Key
	return pathDigest(n) == b.Note
}

// remote is an entry of the store.
type remote struct {
	id         string
	digest     string
	pathDigest string
}

func remoteOf(e *memory.Entry) remote {
	n := markdown.NoteOf(e)
	return remote{id: e.ID.String(), digest: digest(n), pathDigest: pathDigest(n)}
}

// is reports whether the entry is unchanged, possibly at another path.
func (r remote) is(b base) bool { return b.Entry == r.digest || b.Entry == r.pathDigest }

func (b base) path(store string) memory.Path {
	return memory.Path{Store: store, Namespace: b.Namespace, Key: b.Key}
}

// reset forgets the common state.
func (s *state) reset(origin Origin) {
	s.Origin, s.Files, s.Trashed, s.Exchange = origin, make(map[string]base), nil, nil
}

// loadState reads the state; it is new if the folder has none. The caller's run gets an ID
// of its own.
func (f *folder) loadState(origin Origin) (*state, error) {
	s, err := f.readState()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s = &state{Format: 1}
		s.reset(origin)
	case err != nil:
		return nil, err
	case s.Store != origin.Store || s.Agent != origin.Agent || s.Taint != origin.Taint:
		return nil, ErrOrigin
	}
	s.ID = rand.Text()
	return s, nil
}

func (f *folder) readState() (*state, error) {
	text, err := f.root.ReadFile(stateFile)
	if err != nil {
		return nil, err
	}
	var s state
	if json.Unmarshal(text, &s) != nil || s.Format != 1 || s.Files == nil {
		return nil, ErrState
	}
	for file := range s.Files {
		if !fs.ValidPath(file) || !isNote(file) {
			return nil, ErrState
		}
	}
	return &s, nil
}

// saveState writes the state atomically.
func (f *folder) saveState(s *state) error {
	text, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		return err
	}
	temporary, err := f.temporary(append(text, '\n'), 0o600)
	if err != nil {
		return err
	}
	return f.root.Rename(temporary, stateFile)
}

// digest returns the digest of a note, without its path and label.
func digest(n markdown.Note) string {
	n.Namespace, n.Name = "", ""
	return pathDigest(n)
}

// pathDigest returns the digest of a note and its path.
func pathDigest(n markdown.Note) string {
	sum := sha256.Sum256(n.Contents())
	return hex.EncodeToString(sum[:16])
}

// sumOf returns the checksum of a file.
func sumOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
