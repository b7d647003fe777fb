// Package docs holds the pages of the documentation that the program itself shows.
package docs

import _ "embed"

// Operating is the operator's page, in Markdown.
//
//go:embed operating.md
var Operating []byte
