package docs_test

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.yaml.in/yaml/v3"

	"mneme/configs"
)

// codebase holds the names in the repository that documents may use.
type codebase struct {
	packages map[string]map[string]bool  // by name: their declarations
	members  map[string]map[string]bool  // by the name of a type: its fields and methods
	imported map[string]bool             // the last parts of the paths of other modules' packages
	embedded map[string]map[string]bool  // by the name of a type: the names of types that it embeds
	declared map[string]bool             // names of packages, functions, methods, types, fields, variables and constants
	words    map[string]bool             // identifiers, and words of texts
	flags    map[string]bool             // of the command and of the repository's other programs
	endings  []string                    // ends of flags that are joined from parts: -entries-total
	commands map[string]bool             // the command's subcommands
	groups   map[string]bool             // subcommands that have others
	files    []string                    // paths from the root, with slashes before them
	targets  map[string]bool             // of the Makefile
	settings map[string]bool             // keys of the configuration and of its sections
	calls    map[string][]*regexp.Regexp // of openapi.yaml, by their methods
}

var (
	pythonFlag  = regexp.MustCompile(`["']--([a-z][a-z-]*)["']`)
	dashed      = regexp.MustCompile(`^[a-z]+(?:-[a-z]+)+$`)
	target      = regexp.MustCompile(`(?m)^([a-z-]+):`)
	ofTests     = regexp.MustCompile(`func (?:Test|Fuzz|Benchmark)\w+|MNEME_\w+`)
	flagMethod  = regexp.MustCompile(`^(?:(?:Bool|String|Int|Int64|Uint|Uint64|Float64|Duration|StringSlice|StringArray|Count|Text|Func|duration)(?:Var)?|Var)P?$`)
	otherSource = []string{".py", ".ts", ".mjs", ".svelte", ".yaml", ".yml", ".sh", ".sql", ".toml", ".conf", ".env"}
)

// readCode reads the repository's code once, without documents.
func readCode(t *testing.T) *codebase {
	t.Helper()
	c := &codebase{
		packages: make(map[string]map[string]bool), members: make(map[string]map[string]bool), embedded: make(map[string]map[string]bool),
		imported: make(map[string]bool), declared: make(map[string]bool), words: make(map[string]bool), targets: make(map[string]bool), settings: make(map[string]bool),
		groups: make(map[string]bool),
		flags:  map[string]bool{"help": true, "version": true}, commands: map[string]bool{"help": true, "completion": true}, // cobra's
		calls: make(map[string][]*regexp.Regexp),
	}
	c.readFiles(t)
	for _, found := range target.FindAllStringSubmatch(read(t, "../Makefile"), -1) {
		c.targets[found[1]] = true
	}
	c.readSettings(reflect.TypeFor[configs.Config](), "")
	var api struct {
		Paths map[string]map[string]yaml.Node
	}
	if err := yaml.Unmarshal([]byte(read(t, "../server/rest/openapi.yaml")), &api); err != nil {
		t.Fatal(err)
	}
	parameter := regexp.MustCompile(`\\\{\w+\\\}`)
	for path, methods := range api.Paths {
		form := regexp.MustCompile("^" + parameter.ReplaceAllString(regexp.QuoteMeta(path), "[^/]+") + "$")
		for method := range methods {
			c.calls[strings.ToUpper(method)] = append(c.calls[strings.ToUpper(method)], form)
		}
	}
	return c
}

// readFiles reads the files of the repository, as many concurrently as there are
// processors.
func (c *codebase) readFiles(t *testing.T) {
	t.Helper()
	var mu sync.Mutex
	var wg sync.WaitGroup
	paths := make(chan string)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for path := range paths {
				text, err := os.ReadFile(path)
				if err != nil {
					t.Error(err)
					continue
				}
				read := c.readOther
				if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
					file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
					if err != nil {
						t.Error(err)
						continue
					}
					read = func(path string, _ []byte) { c.readGo(path, file) }
				}
				mu.Lock()
				read(path, text)
				mu.Unlock()
			}
		})
	}
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, at := entry.Name(), filepath.ToSlash(strings.TrimPrefix(path, root))
		switch {
		case entry.IsDir() && (name == ".git" || name == "node_modules" || name == ".venv" || name == "dist" && strings.HasPrefix(at, "/console/") || at == "/docs/decisions"):
			return filepath.SkipDir
		case entry.IsDir(), strings.HasSuffix(name, ".md"):
		case strings.HasSuffix(name, ".go"), hasSuffix(name, otherSource), name == "Makefile", name == "Dockerfile":
			paths <- path
		}
		mu.Lock()
		c.files = append(c.files, at)
		mu.Unlock()
		return nil
	})
	close(paths)
	wg.Wait()
	if err != nil {
		t.Fatal(err)
	}
}

func hasSuffix(name string, suffixes []string) bool {
	for _, suffix := range suffixes {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}

// readOther reads a file that is not parsed: all its words count.
func (c *codebase) readOther(path string, text []byte) {
	if strings.HasSuffix(path, "_test.go") {
		for _, found := range ofTests.FindAll(text, -1) {
			c.words[strings.TrimPrefix(string(found), "func ")] = true
		}
		return
	}
	for _, found := range pythonFlag.FindAllSubmatch(text, -1) {
		c.flags[string(found[1])] = true
	}
	c.readWords(string(text))
}

// readWords adds the words of a text that could be names.
func (c *codebase) readWords(text string) {
	from := -1
	for i := range len(text) + 1 {
		named := i < len(text) && (text[i] == '_' || '0' <= text[i] && text[i] <= '9' || 'a' <= text[i]|0x20 && text[i]|0x20 <= 'z')
		switch {
		case named && from < 0:
			from = i
		case !named && from >= 0:
			c.words[text[from:i]] = true
			from = -1
		}
	}
}

// readSettings reads the keys of a section, which are the tags of its fields.
func (c *codebase) readSettings(section reflect.Type, prefix string) {
	for i := range section.NumField() {
		field := section.Field(i)
		key, of := prefix+field.Tag.Get("mapstructure"), field.Type
		c.settings[key] = true
		if of.Kind() == reflect.Slice {
			key, of = key+"[]", of.Elem()
		}
		if of.Kind() == reflect.Struct {
			c.readSettings(of, key+".")
		}
	}
}

// hasFlag reports whether a program has a flag.
func (c *codebase) hasFlag(name string) bool {
	return c.flags[name] || slices.ContainsFunc(c.endings, func(ending string) bool { return strings.HasSuffix(name, ending) })
}

// hasSetting reports whether a setting exists.
func (c *codebase) hasSetting(key string) bool { return c.settings[key] }

// hasVariable reports whether an environment variable exists: for a setting, or named in
// the code.
func (c *codebase) hasVariable(name string) bool {
	if c.words[name] {
		return true
	}
	for key := range c.settings {
		if "MNEME_"+strings.ToUpper(strings.ReplaceAll(key, ".", "_")) == name {
			return true
		}
	}
	return false
}

// hasFile reports whether the repository has a file or folder with the name, or with a path
// that ends in it.
func (c *codebase) hasFile(name string) bool {
	for strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") {
		_, name, _ = strings.Cut(name, "/")
	}
	name = "/" + strings.Trim(name, "/")
	return slices.ContainsFunc(c.files, func(path string) bool { return strings.HasSuffix(path, name) })
}

// hasCall reports whether the API has a call, with the method if one is given.
func (c *codebase) hasCall(method, path string) bool {
	for of, forms := range c.calls {
		if (method == "" || of == method) && slices.ContainsFunc(forms, func(form *regexp.Regexp) bool { return form.MatchString(path) }) {
			return true
		}
	}
	return false
}
