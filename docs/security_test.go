package docs_test

import (
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// The table of visible effects has every operation in exactly one row, not counting
// another operation's special cases.
func TestTheSecurityPageNamesEveryOperation(t *testing.T) {
	var api struct {
		Paths map[string]map[string]yaml.Node
	}
	if err := yaml.Unmarshal([]byte(read(t, "../server/rest/openapi.yaml")), &api); err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(read(t, "security.md"), "| operations | change |")
	table, _, ended := strings.Cut(table, "\n\n")
	if !found || !ended {
		t.Fatal("there is no table")
	}
	named := make(map[string]bool)
	for row := range strings.Lines(table) {
		cells := strings.Split(row, "|")
		if len(cells) < 4 {
			continue
		}
		for _, name := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(cells[1], -1) {
			named[name[1]] = true
		}
	}
	known := make(map[string]bool)
	for path, methods := range api.Paths {
		for method, node := range methods {
			var operation struct {
				ID string `yaml:"operationId"`
			}
			if node.Kind != yaml.MappingNode || node.Decode(&operation) != nil || operation.ID == "" {
				continue
			}
			known[operation.ID] = true
			if !named[operation.ID] {
				t.Errorf("%s of %s, %s, is in no row", method, path, operation.ID)
			}
		}
	}
	for name := range named {
		if !known[name] {
			t.Errorf("there is no operation %s", name)
		}
	}
	if len(known) < 40 {
		t.Errorf("only %d operations were read", len(known))
	}
}

// The security page names tests and configuration keys. All of them must exist.
func TestTheSecurityPageNamesExistingTestsAndKeys(t *testing.T) {
	page := read(t, "security.md")
	defined := make(map[string]bool)
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w+)\(`)
	for _, path := range files(t, ".go") {
		if strings.HasSuffix(path, "_test.go") {
			for _, found := range function.FindAllStringSubmatch(read(t, path), -1) {
				defined[found[1]] = true
			}
		}
	}
	named := regexp.MustCompile("`((?:Test|Fuzz|Benchmark)\\w+)`").FindAllStringSubmatch(page, -1)
	for _, found := range named {
		if !defined[found[1]] {
			t.Errorf("there is no test %s", found[1])
		}
	}

	var config map[string]any
	if err := yaml.Unmarshal([]byte(read(t, "../configs/example.yaml")), &config); err != nil {
		t.Fatal(err)
	}
	keys := regexp.MustCompile("`([a-z]+)\\.([a-z_]+)`").FindAllStringSubmatch(page, -1)
	for _, found := range keys {
		section, _ := config[found[1]].(map[string]any)
		if _, known := section[found[2]]; !known && found[1] != "signing" { // signing.key is a file
			t.Errorf("there is no configuration key %s.%s", found[1], found[2])
		}
	}
	if len(named) < 40 || len(keys) < 15 {
		t.Errorf("only %d tests and %d keys found", len(named), len(keys))
	}
}
