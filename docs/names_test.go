package docs_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Patterns of names. If a document uses a name of such a form, the code must have it. A
// name is a whole code span, unless its pattern extends further.
var (
	inPackage = regexp.MustCompile(`^([a-z][a-z0-9]*(?:/[a-z0-9]+)*)\.([A-Z]\w*)(?:\.([A-Z]\w*))?\b`) // memory.Tx, lexical.Match.Matches
	ofType    = regexp.MustCompile(`^([A-Z]\w*)\.([A-Z]\w*)\b`)                                       // Searcher.Search
	camel     = regexp.MustCompile(`^(?:[a-z]+[A-Z]|[A-Z]+[a-z]+[A-Z])[A-Za-z0-9]*$`)                 // loadVisible, ErrFenced
	snake     = regexp.MustCompile(`^[a-z]+(?:_[a-z0-9]+)+$`)                                         // left_out
	metric    = regexp.MustCompile(`^(mneme_[a-z0-9_]+)(?:\{.*)?$`)
	setting   = regexp.MustCompile(`^[a-z][a-z0-9_]*(?:(?:\[\])?\.[a-z][a-z0-9_]*)+$`) // auth.issuers[].jwks
	variable  = regexp.MustCompile(`MNEME_[A-Z0-9_]*[A-Z0-9]`)
	call      = regexp.MustCompile(`(?:\b(GET|PUT|POST|PATCH|DELETE|HEAD) )?(?:127\.0\.0\.1:7077)?(/v1/[^\s"'\x60)?…]+)`)
	goFile    = regexp.MustCompile(`[\w./-]*\w\.(?:go|sh|py|sql|svelte|mjs)\b`)
	inFolder  = regexp.MustCompile(`^(?:\.\./)*([a-z][a-z0-9_.-]*)/[\w./-]+$`)
	makes     = regexp.MustCompile(`^\s*make ([a-z]+)`)
	flag      = regexp.MustCompile(`(?:^|[\s(])--([a-z][a-z-]*)`)
	program   = regexp.MustCompile(`^\s*(?:\w+=\S* )*(?:go run \./cmd/|\./)?mneme(?: ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?)?(?: |$)`)
	shell     = []string{"", "sh", "text"}
	fenced    = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```")
	continued = regexp.MustCompile(`\\\n\s*`)
	separator = regexp.MustCompile(`\||;|&&|\$\(|#`)
)

// Foreign names that look like ours: of systems, examples, and generated files.
var foreign = []string{
	"create_memory_export", "RobutlerMemorySkill", "pg_dump", "pg_restore", "MNEME_KEY", "clients/go/v1.2.3", "deploy/packaging/out/packages",
}

// The steps in architecture.md are functions, so each of its words in code style is
// declared.
const architecture = "architecture.md"

var lone = regexp.MustCompile(`^[A-Za-z]+$`)

// placeholder marks a name that the reader completes: storage/NAME.
var placeholder = regexp.MustCompile(`(?:^|/)[A-Z]+(?:/|$)`)

// Documents use only names that exist in the code: of packages, methods, files,
// flags, subcommands, settings, variables, calls, metrics and targets.
func TestDocumentsNameWhatTheCodeHas(t *testing.T) {
	c := readCode(t)
	t.Run("a name that is gone is found", c.findsWhatIsGone)
	counts := make(map[string]int)
	for _, page := range checkedPages(t) {
		text := read(t, page)
		report := func(kind, name string, known bool) {
			counts[kind]++
			if !known && !slices.Contains(foreign, name) && !placeholder.MatchString(name) {
				t.Errorf("%s: there is no %s %s", page, kind, name)
			}
		}
		for _, block := range fenced.FindAllStringSubmatch(text, -1) {
			c.checkText(block[2], report)
			if !slices.Contains(shell, block[1]) {
				continue
			}
			for line := range strings.Lines(continued.ReplaceAllString(block[2], " ")) {
				for _, part := range separator.Split(line, -1) {
					c.checkCommand(part, report)
				}
			}
		}
		prose := fenced.ReplaceAllString(text, "")
		c.checkText(prose, report)
		for _, name := range goFile.FindAllString(prose, -1) {
			report("file", name, c.hasFile(name))
		}
		for _, found := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(prose, -1) {
			span := strings.Join(strings.Fields(found[1]), " ")
			c.checkSpan(span, report)
			if page == architecture && lone.MatchString(span) {
				report("declaration", span, c.declared[span] || c.hasFile(span))
			}
		}
	}
	for kind, least := range map[string]int{
		"name": 20, "method": 10, "file": 60, "flag": 60, "command": 60, "setting": 60, "variable": 20, "call": 20, "metric": 30, "target": 3, "word": 150, "declaration": 20,
	} {
		if counts[kind] < least {
			t.Errorf("only %d names of the kind %s found", counts[kind], kind)
		}
	}
}

// checkedPages returns the checked documents. The changelog is excluded: it
// names removed things.
func checkedPages(t *testing.T) []string {
	t.Helper()
	pages := []string{"../README.md", "../CONTRIBUTING.md", "../SECURITY.md"}
	for _, pattern := range []string{"*.md", "*/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	return pages
}

// findsWhatIsGone checks that the checks work: in each pair, they accept the name that
// exists, and report the one that no longer does.
func (c *codebase) findsWhatIsGone(t *testing.T) {
	for has, gone := range map[string]string{
		"search.Purchase": "memory.Purchase", "search.Request.Cursor": "search.Request.Gone", "Searcher.Search": "Searcher.Gone",
		"loadVisible": "loadGone", "left_out": "gone_out", "mneme_searches_total": "mneme_gone_total", "--tools": "--gone",
		"tools.listed": "tools.gone", "auth.issuers[].jwks": "auth.issuers[].gone", "MNEME_TOOLS_LISTED": "MNEME_" + "TOOLS_GONE",
		"GET /v1/stores/self/changes?wait=30": "GET /v1/stores/self/gone", "mneme put": "mneme gone", "mneme ledger verify": "mneme ledger gone", "make notices": "make gone",
		"search/turn.go": "search/gone.go", "test/faults": "test/gone",
	} {
		for name, want := range map[string]bool{has: true, gone: false} {
			known, checked := true, 0
			report := func(_, _ string, is bool) { known, checked = known && is, checked+1 }
			c.checkText(name, report)
			c.checkSpan(name, report)
			if known != want || checked == 0 {
				t.Errorf("%s: %t after %d checks, want %t", name, known, checked, want)
			}
		}
	}
}

type reporting func(kind, name string, known bool)

// checkText checks names that may be anywhere.
func (c *codebase) checkText(text string, report reporting) {
	for _, name := range variable.FindAllString(text, -1) {
		report("variable", name, c.hasVariable(name))
	}
	for _, found := range call.FindAllStringSubmatch(text, -1) {
		report("call", strings.TrimSpace(found[1]+" "+found[2]), c.hasCall(found[1], strings.TrimRight(found[2], ".,;:")))
	}
}

// checkCommand checks a part of a shell line.
func (c *codebase) checkCommand(part string, report reporting) {
	if found := program.FindStringSubmatch(part); found != nil {
		if found[1] != "" {
			report("command", "mneme "+found[1], c.commands[found[1]])
		}
		if found[2] != "" && c.groups[found[1]] {
			report("command", "mneme "+found[1]+" "+found[2], c.commands[found[2]])
		}
		for _, name := range flag.FindAllStringSubmatch(part, -1) {
			report("flag", "--"+name[1], c.hasFlag(name[1]))
		}
	}
	if found := makes.FindStringSubmatch(part); found != nil {
		report("target", found[1], c.targets[found[1]])
	}
}

// checkSpan checks a code span in prose.
func (c *codebase) checkSpan(span string, report reporting) {
	switch found := inPackage.FindStringSubmatch(span); {
	case found != nil:
		name := found[1][strings.LastIndex(found[1], "/")+1:]
		declares := c.packages[name]
		if declares == nil && c.imported[name] {
			return // os.Root
		}
		known := declares[found[2]]
		if found[3] != "" {
			known = known && c.has(found[2], found[3], map[string]bool{})
		}
		report("name", span, known)
		return
	case metric.MatchString(span):
		report("metric", span, c.words[metric.FindStringSubmatch(span)[1]])
		return
	case setting.MatchString(span):
		if section, _, _ := strings.Cut(span, "."); c.hasSetting(section) && !c.hasFile(span) {
			report("setting", span, c.hasSetting(span))
		}
		return
	case snake.MatchString(span), camel.MatchString(span):
		report("word", span, c.words[span])
		return
	case inFolder.MatchString(span):
		if folder := inFolder.FindStringSubmatch(span)[1]; slices.Contains(c.files, "/"+folder) {
			report("file", span, c.hasFile(span))
		}
	}
	if found := ofType.FindStringSubmatch(span); found != nil {
		report("method", span, c.has(found[1], found[2], map[string]bool{}))
	}
	if strings.HasPrefix(span, "--") {
		report("flag", span, c.hasFlag(flag.FindStringSubmatch(span)[1]))
	}
	c.checkCommand(span, report)
}
