package markdown

import (
	"encoding/json"
	"io/fs"
	"strings"
)

// recordFile remembers what an export wrote, so that the next one tells its
// own files from those that somebody wrote or edited.
const recordFile = ".mneme-export.json"

// Origin is what a folder is an export of. Another session would not see the
// same entries, and would take away what it cannot see.
type Origin struct {
	Store string `json:"store"`
	Agent string `json:"agent"`
	Taint string `json:"taint"`
}

// record is the contents of recordFile.
type record struct {
	Format int `json:"format"` // 1
	Origin
	Files map[string]string `json:"files"` // by path, SHA-256 of what was written
}

func (f *Folder) readRecord() (record, error) {
	var r record
	info, err := f.root.Lstat(recordFile)
	if err != nil {
		return r, err
	}
	if !info.Mode().IsRegular() {
		return r, ErrRecord
	}
	text, err := f.root.ReadFile(recordFile)
	if err != nil {
		return r, err
	}
	if json.Unmarshal(text, &r) != nil || r.Format != 1 {
		return r, ErrRecord
	}
	for file := range r.Files {
		if !fs.ValidPath(file) || !strings.HasSuffix(file, extension) {
			return r, ErrRecord
		}
	}
	return r, nil
}

// save writes the record: at the beginning too, so that an export that is
// interrupted leaves a folder that the next one takes up.
func (f *Folder) save() error {
	text, err := json.MarshalIndent(f.record, "", "  ")
	if err != nil {
		return err
	}
	return f.replace(recordFile, append(text, '\n'))
}
