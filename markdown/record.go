package markdown

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// recordFile lists the files that an export wrote. The next export uses it to distinguish them
// from files that a user wrote or edited.
const recordFile = ".mneme-export.json"

// Origin identifies what was exported. An export from another session sees other entries, and
// would remove the files of entries that it does not see.
type Origin struct {
	Store string `json:"store"`
	Agent string `json:"agent"`
	Taint string `json:"taint"`
}

// IsExport reports whether a folder was written by an export.
func IsExport(dir string) bool {
	info, err := os.Lstat(filepath.Join(dir, recordFile))
	return err == nil && info.Mode().IsRegular()
}

// record is the contents of recordFile.
type record struct {
	Format int `json:"format"` // 1
	Origin
	Files map[string]string `json:"files"` // SHA-256 of each file as written, by path
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

// save writes the record. It is also called before the first file is written, so that the next
// export recognizes the folder of an interrupted one.
func (f *Folder) save() error {
	text, err := json.MarshalIndent(f.record, "", "  ")
	if err != nil {
		return err
	}
	return f.replace(recordFile, append(text, '\n'))
}
