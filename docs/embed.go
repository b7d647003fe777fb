// Package docs holds the pages of the documentation that the program itself shows.
package docs

import (
	"bytes"
	_ "embed"
)

var (
	//go:embed operating/start.md
	start []byte
	//go:embed operating/keys.md
	keys []byte
	//go:embed operating/backups.md
	backups []byte
	//go:embed operating/upgrades.md
	upgrades []byte
	//go:embed operating/monitoring.md
	monitoring []byte
	//go:embed operating/troubleshooting.md
	troubleshooting []byte
)

// Operating returns the operator's pages in Markdown, as one page, in the order in which an
// operator needs them. No two of them have a heading in common.
func Operating() []byte {
	return bytes.Join([][]byte{start, keys, backups, upgrades, monitoring, troubleshooting}, []byte("\n"))
}
