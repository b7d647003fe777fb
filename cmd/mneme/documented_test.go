package main

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// documented is a question in a document, and the key of the entry that answers it.
type documented struct {
	page, question string
	agent          string // the asking agent, see documentedStores
	key            string
}

// documentedQuestions are all questions in the documents. A page that asks several stores
// has several rows per question.
var documentedQuestions = []documented{
	{"README.md", "what do I drink in the afternoon?", "me", "tea"},
	{"README.md", "which tea?", "me", "tea"},
	{"README.md", "what must I not cook for Ben?", "iris", "diet/ben"},
	{"docs/index.md", "what do I drink in the afternoon?", "me", "tea"},
	{"docs/guides/clients.md", "Where does Anna like to sit?", "clients", "seat"},
	{"docs/guides/clients.md", "what do I drink in the afternoon?", "clients", "tea"},
	{"docs/guides/commands.md", "how do I like my tea?", "me", "tea"},
	{"docs/guides/design.md", "where does Ada live?", "support", "home"},
	{"docs/guides/design.md", "what came late in July 2026?", "support", "late"},
	{"docs/guides/frameworks.md", "When do I have my tea?", "me", "tea"},
	{"docs/guides/frameworks.md", "When do I have my tea?", "session", "drink"},
	{"docs/guides/frameworks.md", "which tea does she like?", "langgraph", "drink"},
	{"docs/guides/frameworks.md", "which tea does Ada like?", "ada", "tea"},
	{"docs/guides/frameworks.md", "Which tea does Ada like?", "ada", "tea"},
	{"docs/guides/frameworks.md", "Which tea?", "ada", "tea"},
	{"docs/guides/frameworks.md", "Which tea?", "session", "drink"},
	{"docs/guides/frameworks.md", "tea", "ada", "tea"},
	{"docs/guides/import.md", "how do I like to travel?", "mem0", "0f5c1a52-6a1e-4e55-9d51-3c1b0a9f7e02"},
	{"docs/guides/import.md", "how do I sell searches?", "guides", "selling"},
	{"docs/guides/maestro.md", "which editor does Ada use?", "maestro", "preferred-editor"},
	{"docs/guides/mcp.md", "which tea for Ada?", "ada", "tea"},
	{"docs/guides/rest.md", "what do I drink in the afternoon?", "me", "tea"},
	{"docs/guides/robutler.md", "favourite beverage", "ada", "tea"},
	{"docs/guides/selling.md", "Which hut near Zermatt has water in September?", "guest", "trails/hut"},
	{"docs/guides/selling.md", "Which hut has water?", "guest", "trails/hut"},
	{"docs/guides/triggerfish.md", "which tea for Ada?", "ada", "tea"},
}

// documentedStores are the entries that the documents write, by the agent that owns them
// here: a question's store has no other entries. The test below imports further ones.
var documentedStores = map[string]string{
	"me":        `{"key": "tea", "value": "I like my tea green, and never after five."}`,
	"clients":   `{"key": "seat", "value": "Anna prefers the window seat on trains."}` + "\n" + `{"key": "tea", "value": "I like my tea green, and never after five."}`,
	"ada":       `{"key": "tea", "value": "Ada likes her tea green."}`,
	"langgraph": `{"key": "drink", "namespace": "users.ada", "value": {"text": "Ada likes her tea green."}}`,
	"support": `{"key": "home", "namespace": "users.ada", "value": "Ada lives in Porto.", "occurred_at": "2026-05-08"}` + "\n" +
		`{"key": "late", "namespace": "users.ada", "value": "The parcel of order 7719 came late.", "occurred_at": "2026-07-09"}` + "\n" +
		`{"key": "home", "namespace": "users.ben", "value": "Ben lives in Vienna."}`,
	"session": `{"key": "drink", "value": "I like my tea green."}`,
	"hiker":   `{"key": "trails/hut", "value": "The hut above Zermatt has water until the end of September."}`,
}

// documentedEditor is the file of docs/guides/maestro.md.
const documentedEditor = `---
name: preferred-editor
type: user
description: Ada edits in vim
---
Show keys of vim rather than menus.
`

// block is a fenced block of code.
var block = regexp.MustCompile("(?ms)^```.*?^```")

// asking matches questions in code: a quoted text that ends in a question mark, a
// parameter query or q, and the argument of mneme search.
var asking = []*regexp.Regexp{
	regexp.MustCompile(`"([^"\n]*\?)"`),
	regexp.MustCompile(`"query":\s*"([^"\n]+)"`),
	regexp.MustCompile(`\bquery=["']?([^"'\n]+)["']`),
	regexp.MustCompile(`mneme search\b.*"([^"\n]+)"`),
	inURL,
}

var inURL = regexp.MustCompile(`[?&]q=([^&"'\s]+)`)

// questionsIn returns the questions on a page.
func questionsIn(t *testing.T, page string) (questions []string) {
	t.Helper()
	for _, code := range block.FindAllString(page, -1) {
		for _, form := range asking {
			for _, found := range form.FindAllStringSubmatch(code, -1) {
				question := found[1]
				if form == inURL {
					var err error
					if question, err = url.QueryUnescape(question); err != nil {
						t.Fatal(err)
					}
				}
				questions = append(questions, question)
			}
		}
	}
	return questions
}

// A new question in a document needs an expectation, and an expectation needs a question.
func TestEveryDocumentedQuestionHasAnExpectation(t *testing.T) {
	guides, err := filepath.Glob("../../docs/guides/*.md")
	if err != nil || len(guides) == 0 {
		t.Fatal(err, guides)
	}
	asked := make(map[[2]string]bool)
	all := ""
	for _, page := range append([]string{"README.md", "docs/index.md"}, guides...) {
		page = strings.TrimPrefix(filepath.ToSlash(page), "../../")
		text, err := os.ReadFile(filepath.Join("../..", page))
		if err != nil {
			t.Fatal(err)
		}
		all += string(text)
		for _, question := range questionsIn(t, string(text)) {
			asked[[2]string{page, question}] = true
		}
	}
	for agent, entries := range documentedStores {
		for _, text := range regexp.MustCompile(`"(?:value|text)": "([^"]+)"`).FindAllStringSubmatch(entries, -1) {
			if !strings.Contains(all, text[1]) {
				t.Errorf("no document writes %q, which is in the store of %s", text[1], agent)
			}
		}
	}
	if !strings.Contains(all, documentedEditor) {
		t.Errorf("no document writes %q", documentedEditor)
	}
	for _, q := range documentedQuestions {
		if !asked[[2]string{q.page, q.question}] {
			t.Errorf("%s does not ask %q", q.page, q.question)
		}
	}
	for of := range asked {
		if !slices.ContainsFunc(documentedQuestions, func(q documented) bool { return q.page == of[0] && q.question == of[1] }) {
			t.Errorf("%s asks %q: documentedQuestions lacks the entry that it is to find", of[0], of[1])
		}
	}
}

// The test asks one server, as the documents do.
func TestEveryDocumentedQuestionFindsItsEntryOnEverySurface(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for agent, entries := range documentedStores {
		must(t, dir, entries, "import", "--agent", agent, "--store", agent, "-")
	}
	editor := t.TempDir()
	if err := os.WriteFile(filepath.Join(editor, "preferred-editor.md"), []byte(documentedEditor), 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, dir, "", "import", sampleMemories)
	must(t, dir, "", "import", "--agent", "mem0", "--from", "mem0", "../../examples/samples/exports/mem0.json")
	must(t, dir, "", "import", "--agent", "guides", "../../docs/guides")
	must(t, dir, "", "import", "--agent", "maestro", "--markdown", editor)
	must(t, dir, "", "offer", "create", "--agent", "hiker", "--title", "Trails of the Alps", "--price-search", "0.002", "--price-entry", "0.0005")
	offer := decode[struct{ ID string }](t, must(t, dir, "", "offer", "list", "--agent", "guest", "--json")).ID
	must(t, dir, "", "topup", "guest", "5", "--reference", "invoice-1")
	must(t, dir, "", "offer", "accept", "--agent", "guest", offer)
	bought := []door{
		{"REST, of the offer", func(t *testing.T, s *serving, agent, question string) string {
			return firstHit(t, s.asked(t, agent, http.MethodPost, "/v1/offers/"+offer+"/search", map[string]any{"query": question}))
		}},
		{"REST, of the store", func(t *testing.T, s *serving, agent, question string) string {
			return firstHit(t, s.asked(t, agent, http.MethodPost, "/v1/search", map[string]any{"query": question, "stores": []string{"hiker"}, "max_charge": 10_000}))
		}},
		{"mneme search --offer", func(t *testing.T, s *serving, agent, question string) string {
			return firstHit(t, must(t, s.dir, "", "search", "--agent", agent, "--offer", offer, "--max-charge", "0.01", "--json", question))
		}},
	}
	s := serve(t, dir)
	done := make(map[string]bool)
	for _, q := range documentedQuestions {
		ways := doors
		if q.agent == "guest" {
			ways = bought
		}
		for _, door := range ways {
			name := fmt.Sprintf("%s asks %q by %s", q.agent, q.question, door.name)
			if done[name] {
				continue
			}
			if done[name] = true; door.ask(t, s, q.agent, q.question) != q.key {
				t.Errorf("%s: %s: %s is not shown first", q.page, name, q.key)
			}
		}
	}
}
