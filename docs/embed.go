// Package docs holds the documentation pages that the program itself shows.
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

// Operating returns the operator's guide in Markdown, as one page, in the order of an
// operator's needs. Its headings are unique.
func Operating() []byte {
	return bytes.Join([][]byte{start, keys, backups, upgrades, monitoring, troubleshooting}, []byte("\n"))
}
