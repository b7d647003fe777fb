package sqlcommon

import (
	"embed"
	"io/fs"

	"mneme/storage/sqltext"
)

//go:embed sql/*.sql
var files embed.FS

// Statements reads the statements that a storage runs: those in its own files, and those that
// both databases share. path is the storage's path in the repository.
func Statements(path string, own fs.FS) sqltext.Set {
	set, err := sqltext.Load(sqltext.Folder{Path: "storage/sqlcommon", Files: files}, sqltext.Folder{Path: path, Files: own})
	if err != nil {
		panic(err) // a test would have failed
	}
	return set
}
