//go:build no_ui

// Package console holds the files of the console. This program is built without
// them.
package console

import "io/fs"

// Files returns the built files; nil if the program was built without them.
func Files() fs.FS { return nil }
