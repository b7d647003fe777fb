package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// rules replace the path of a module in the text of a file. The path alone is also the
// product's name, so it is replaced only if it names a module or a package.
type rules struct {
	to       []byte
	packages *regexp.Regexp // in all files
	modules  *regexp.Regexp // in go.mod
	linter   *regexp.Regexp // in .golangci.yml
}

// newRules returns the rules for a module whose packages are in the folders of root.
func newRules(root, from, to string) (rules, error) {
	folders, err := os.ReadDir(root)
	if err != nil {
		return rules{}, err
	}
	var rooms []string
	for _, folder := range folders {
		if folder.IsDir() && !strings.HasPrefix(folder.Name(), ".") {
			rooms = append(rooms, regexp.QuoteMeta(folder.Name()))
		}
	}
	path := regexp.QuoteMeta(from)
	return rules{
		to: []byte("${before}" + to + "${after}"),
		// Such as "mneme/memory" and mneme/clients/go/api, but not cmd/mneme/memory.go.
		packages: regexp.MustCompile(fmt.Sprintf(`(?m)(?P<before>^|[^\w./-])%s(?P<after>/(%s)\b)`, path, strings.Join(rooms, "|"))),
		modules:  regexp.MustCompile(fmt.Sprintf(`(?m)(?P<before>^module )%s(?P<after>/|$)`, path)),
		// Such as {pkg: mneme, …} and local-prefixes: [mneme].
		linter: regexp.MustCompile(fmt.Sprintf(`(?P<before>pkg: |\[)%s(?P<after>[,\]])`, path)),
	}, nil
}

// text returns the text of a file with the new path.
func (r rules) text(name string, text []byte) []byte {
	text = r.packages.ReplaceAll(text, r.to)
	switch filepath.Base(name) {
	case "go.mod":
		text = r.modules.ReplaceAll(text, r.to)
	case ".golangci.yml":
		text = r.linter.ReplaceAll(text, r.to)
	}
	return text
}
