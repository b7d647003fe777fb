//go:build !no_ui

// Package console holds the files of the console, a page that calls the REST API
// with the visitor's own token. Its source is TypeScript and Svelte in src, and
// dist is what `npm run build` makes of it.
package console

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var built embed.FS

// Files returns the built files; nil if the program was built without them.
func Files() fs.FS {
	files, err := fs.Sub(built, "dist")
	if err != nil {
		panic(err) // the folder is embedded
	}
	return files
}
