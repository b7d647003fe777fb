package tool_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"mneme/acl"
	"mneme/memory"
	"mneme/server/tool"
)

// reader reads a value from an offset on, and returns a part of its text and
// the offset of the next part; 0: there is none.
type reader func(h *harness, offset int) (part string, next int)

// readers are the tools that read a value, here the key "k" of alice's store.
var readers = map[string]reader{
	"memory_get": func(h *harness, offset int) (string, int) {
		got := decode[struct {
			Content    string
			Truncated  bool
			NextOffset int `json:"next_offset"`
		}](h, h.must(alice, "memory_get", "key", "k", "offset", offset))
		return got.Content, wantNext(h, got.Truncated, got.NextOffset)
	},
	"ReadUserMemory": func(h *harness, offset int) (string, int) {
		got := decode[struct {
			Body       string
			Truncated  bool
			NextOffset int `json:"next_offset"`
		}](h, h.must(alice, "ReadUserMemory", "name", "k", "offset", offset))
		return got.Body, wantNext(h, got.Truncated, got.NextOffset)
	},
	"kv_get": func(h *harness, offset int) (string, int) {
		got := decode[struct {
			Value      string
			Truncated  bool
			NextOffset int `json:"next_offset"`
		}](h, h.must(alice, "kv_get", "key", "k", "offset", offset))
		return got.Value, wantNext(h, got.Truncated, got.NextOffset)
	},
	"view": func(h *harness, offset int) (string, int) {
		return viewed(h, h.must(alice, "memory", "command", "view", "path", "/memories/k", "offset", offset))
	},
}

func wantNext(h *harness, truncated bool, next int) int {
	h.t.Helper()
	if truncated != (next > 0) {
		h.t.Errorf("truncated is %v with next_offset %d", truncated, next)
	}
	return next
}

func decode[T any](h *harness, text string) (value T) {
	h.t.Helper()
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		h.t.Fatalf("%v in %.200s", err, text)
	}
	return value
}

var stopped = regexp.MustCompile(`\n\(truncated: true, next_offset: (\d+)\)$`)

// viewed returns the text of a view without its line numbers. A line break
// precedes each line but the first.
func viewed(h *harness, text string) (string, int) {
	h.t.Helper()
	next := 0
	if note := stopped.FindStringSubmatch(text); note != nil {
		next, _ = strconv.Atoi(note[1])
		text = strings.TrimSuffix(text, note[0])
	}
	_, text, _ = strings.Cut(text, "\n") // the heading
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		_, content, _ := strings.Cut(line, "\t")
		lines = append(lines, content)
	}
	return strings.Join(lines, "\n"), next
}

// readAll reads a value to its end with successive offsets. It fails unless every part is
// within the limit of an answer and consists of whole characters.
func readAll(h *harness, read reader, text string) string {
	h.t.Helper()
	var all strings.Builder
	for offset, parts := 0, 0; ; parts++ {
		part, next := read(h, offset)
		if parts > len(text)/1000+2 {
			h.t.Fatalf("%d parts of a text of %d bytes", parts, len(text))
		}
		if !utf8.ValidString(part) {
			h.t.Fatalf("the part from %d on ends within a character", offset)
		}
		all.WriteString(part)
		if next == 0 {
			return all.String()
		}
		if next <= offset || next > len(text) {
			h.t.Fatalf("next_offset %d after %d", next, offset)
		}
		// A view hides a line break at the end of a part.
		if all.Len() == next-1 && text[next-1] == '\n' {
			all.WriteByte('\n')
		}
		offset = next
	}
}

const least = tool.MinAnswer

// anyText generates texts of up to 90 kB, of all kinds of characters but "\r".
func anyText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		piece := rapid.OneOf(
			rapid.SampledFrom([]string{"a", "\"", "\\", "\n", "\n\n", "\t", "\x01", "\u007f", "\u2028", "\ufffd", "é", "e\u0301", "漢字", "👩‍👩‍👧‍👦", "<&>", " "}),
			rapid.StringN(1, 20, -1),
		)
		pieces := rapid.SliceOfN(piece, 1, 12).Draw(t, "pieces")
		text := strings.Repeat(strings.Join(pieces, ""), rapid.IntRange(1, 4000).Draw(t, "times"))
		for len(text) > 90_000 {
			text = strings.ToValidUTF8(text[:90_000], "")
		}
		return strings.ReplaceAll(text, "\r", "")
	}).Filter(func(text string) bool { return text != "" }) // memory_save refuses an empty one
}

// Reading with a tool's successive offsets returns exactly the whole text.
func TestSuccessiveOffsetsGiveTheWholeText(t *testing.T) {
	t.Parallel()
	h := openWith(t, memory.Limits{Value: 1 << 20}, tool.Options{MaxAnswer: least})
	rapid.Check(t, func(rt *rapid.T) {
		text := anyText().Draw(rt, "text")
		h.must(alice, "memory_save", "key", "k", "content", text)
		for name, read := range readers {
			got := readAll(h, read, text)
			// A view does not show a line break at the end.
			if name == "view" && got == strings.TrimSuffix(text, "\n") {
				got = text
			}
			if got != text {
				rt.Fatalf("%s: %d bytes of %d", name, len(got), len(text))
			}
		}
	})
}

func TestAnOffsetIsWithinTheTextAndMeansAWholeCharacter(t *testing.T) {
	h := open(t)
	h.must(alice, "memory_save", "key", "k", "content", "naïve")
	for name, read := range readers {
		for offset, want := range map[int]string{0: "naïve", 2: "ïve", 3: "ïve", 4: "ve", 6: ""} {
			if got, next := read(h, offset); got != want || next != 0 {
				t.Errorf("%s from %d: %q, next %d", name, offset, got, next)
			}
		}
	}
	for _, offset := range []int{-1, 7, 1 << 40} {
		for _, call := range [][]any{
			{"memory_get", "key", "k"}, {"ReadUserMemory", "name", "k"}, {"kv_get", "key", "k"}, {"memory", "command", "view", "path", "/memories/k"},
		} {
			r := h.try(alice, call[0].(string), append(call[1:], "offset", offset)...)
			if !r.IsError || r.Text != "Error: `offset` must be 0 to 6, the length of the text in bytes" {
				t.Errorf("%s from %d: %s", call[0], offset, r.Text)
			}
		}
	}
}

// A value that is not a text is read as a text if it has an offset or does not
// fit; otherwise it is returned as JSON.
func TestKVGetReadsALongObjectAsText(t *testing.T) {
	h := openWith(t, memory.Limits{}, tool.Options{MaxAnswer: least})
	var numbers []int
	for i := range 9000 {
		numbers = append(numbers, i)
	}
	h.must(alice, "kv_set", "key", "k", "value", map[string]any{"short": numbers[:10]})
	if got := h.must(alice, "kv_get", "key", "k"); got != `{"found":true,"key":"k","value":{"short":[0,1,2,3,4,5,6,7,8,9]}}` {
		t.Error(got)
	}
	h.must(alice, "kv_set", "key", "k", "value", numbers)
	want, err := json.MarshalIndent(numbers, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if got := readAll(h, readers["kv_get"], string(want)); got != string(want) {
		t.Errorf("%d bytes of %d", len(got), len(want))
	}
}

// Whatever a caller can enlarge, no answer exceeds the limit.
func TestNoAnswerIsAboveTheLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("asks for many answers")
	}
	t.Parallel()
	h := open(t)
	long := strings.Repeat("granite \"quoted\" \\ and a line\n", 2500)
	for i := range 40 {
		h.must(alice, "memory_save", "key", fmt.Sprintf("deep/%03d/%s", i, strings.Repeat("k", 400)), "content", long,
			"tags", []string{strings.Repeat("t", 60), strings.Repeat("u", 60)})
	}
	for i := range 300 {
		h.must(alice, "memory_save", "key", fmt.Sprintf("%03d%s", i, strings.Repeat("\"", 500)), "content", "short",
			"tags", []string{strings.Repeat("\\", 64), strings.Repeat("\"", 64)})
		h.must(alice, "UpdateUserMemory", "action", "upsert", "name", fmt.Sprint("n", i), "type", "user", "description", strings.Repeat("d", 300), "body", "b")
	}
	for i := range tool.DefaultAnswer / 120 {
		store := fmt.Sprintf("s%03d%s", i, strings.Repeat("x", 120))
		owner := memory.Caller{Principal: acl.Principal{Agent: store, Taint: acl.Public}}
		if _, err := h.service.Share(t.Context(), owner, memory.ShareRequest{Store: store, Grantee: "alice", Level: acl.Read}); err != nil {
			t.Fatal(err)
		}
		if _, err := h.service.AcceptGrant(t.Context(), memory.Caller{Principal: alice}, store); err != nil {
			t.Fatal(err)
		}
	}
	for _, limit := range []int{least, tool.DefaultAnswer} {
		h := h.with(tool.Options{MaxAnswer: limit})
		h.must(alice, "memory_save", "key", "edited", "content", "one")
		index, err := h.Index(t.Context(), alice, "alice")
		if err != nil || len(index) > limit || !strings.Contains(index, "(truncated: true;") {
			t.Errorf("MEMORY.md has %d bytes, %v", len(index), err)
		}
		for _, c := range []struct {
			marked string // the member or note that says that something was left out
			call   []any
		}{
			{`"left_out":`, []any{"memory_search", "query", "granite", "max_results", 100, "max_tokens", 1_000_000}},
			{`"left_out":`, []any{"memory", "command", "search", "query", "granite", "limit", 100, "max_tokens", 1_000_000, "passages", false}},
			{`"truncated":true`, []any{"memory_list"}},
			{`"truncated":true`, []any{"memory_get", "key", "deep/000/" + strings.Repeat("k", 400)}},
			{`"truncated":true`, []any{"kv_get", "key", "deep/000/" + strings.Repeat("k", 400)}},
			{`(truncated: true, next_offset: `, []any{"memory", "command", "view", "path", "/memories/deep/000/" + strings.Repeat("k", 400)}},
			{`(truncated: true; `, []any{"memory", "command", "view", "path", "/memories/"}},
			{`(truncated: true; `, []any{"memory", "command", "view", "path", "/memories/shared/"}},
			{`(truncated: true)`, []any{"memory", "command", "str_replace", "path", "/memories/edited", "old_str", "one", "new_str", strings.Repeat("two", 30_000)}},
			{`(truncated: true)`, []any{"memory", "command", "str_replace", "path", "/memories/edited", "old_str", long, "new_str", "x"}},
			{``, []any{"memory", "command", "stores"}},
		} {
			r := h.try(alice, c.call[0].(string), c.call[1:]...)
			if len(r.Text) > limit || !strings.Contains(r.Text, c.marked) || !utf8.ValidString(r.Text) || r.Structured && !json.Valid([]byte(r.Text)) {
				t.Errorf("%v: %d bytes of at most %d: …%s", c.call[:min(3, len(c.call))], len(r.Text), limit, r.Text[max(0, len(r.Text)-100):])
			}
			if useful := limit / 3; len(r.Text) < useful {
				t.Errorf("%v: %d bytes, although %d were left out", c.call[:min(3, len(c.call))], len(r.Text), useful)
			}
		}
	}
}

// hitsOf is the answer of either search.
type hitsOf struct {
	Results []struct {
		Key, Content string
		Value        json.RawMessage
		Truncated    bool
		Namespace    string
		UpdatedBy    string `json:"updated_by"`
	}
	LeftOut int `json:"left_out"`
}

// A value that fits is complete; of a longer one the hit carries the answering
// chunk, wherever in the value it is.
func TestASearchShowsTheBestPassageOfALongValue(t *testing.T) {
	for name, h := range map[string]*harness{"words": open(t), "vectors": openWithModel(t)} {
		filler := strings.Repeat("The committee discussed the budget of the coming year at length. ", 1300)
		needle := "Otto's parrot eats only sunflower seeds."
		half := len(filler) / 2
		h.must(alice, "memory_save", "key", "minutes", "content", filler[:half]+needle+" "+filler[half:])
		h.must(alice, "memory_save", "key", "parrot", "content", "The parrot of Otto is green.")
		if name == "vectors" {
			h.index()
		}
		for _, call := range [][]any{
			{"memory_search", "query", "what does Otto's parrot eat?"}, {"memory", "command", "search", "query", "what does Otto's parrot eat?"},
		} {
			got := decode[hitsOf](h, h.must(alice, call[0].(string), call[1:]...))
			if len(got.Results) != 2 || got.LeftOut != 0 {
				t.Fatalf("%s: %+v", name, got)
			}
			for _, hit := range got.Results {
				content := hit.Content
				if hit.Value != nil {
					content = decode[string](h, string(hit.Value))
				}
				if hit.Key == "parrot" && (hit.Truncated || content != "The parrot of Otto is green.") {
					t.Errorf("%s: a short value is %+v", name, hit)
				}
				if hit.Key == "minutes" && (!hit.Truncated || !strings.Contains(content, needle) || len(content) > 10_000) {
					t.Errorf("%s: of the long value, truncated %v, %d bytes: %.200s", name, hit.Truncated, len(content), content)
				}
			}
		}
	}
}

// The rest of a hit from another namespace is read by its key and namespace.
func TestTheRestOfAHitIsReadInItsNamespace(t *testing.T) {
	h := openWith(t, memory.Limits{}, tool.Options{MaxAnswer: least})
	text := strings.Repeat("The committee discussed the granite quarry. ", 2000) + "It is closed."
	h.put(alice, "alice", "k", string(must(t, text)), func(r *memory.PutRequest) { r.Path.Namespace = "mem0" })
	h.must(alice, "memory_save", "key", "k", "content", "another memory")
	got := decode[hitsOf](h, h.must(alice, "memory_search", "query", "granite quarry"))
	if len(got.Results) != 1 || !got.Results[0].Truncated {
		t.Fatalf("%+v", got)
	}
	hit := got.Results[0]
	read := readAll(h, func(h *harness, offset int) (string, int) {
		got := decodePart(h, "memory_get", h.must(alice, "memory_get", "key", hit.Key, "namespace", hit.Namespace, "offset", offset))
		return got.text, got.next
	}, text)
	if read != text {
		t.Errorf("%d bytes of %d", len(read), len(text))
	}
}

// At level search a passage replaces the value, and the hit has no other
// member except the mark of a passage.
func TestAtLevelSearchAPassageRevealsNothingElse(t *testing.T) {
	h := openWithModel(t)
	h.must(alice, "memory_save", "key", "minutes", "content", strings.Repeat("The committee discussed the granite quarry. ", 2000), "tags", []string{"secret"})
	h.share(alice, "bob", acl.Search)
	h.index()
	for tool, call := range map[string]map[string]bool{
		"memory_search": {"key": true, "content": true, "store_id": true, "score": true, "relevance": true, "truncated": true},
		"memory":        {"key": true, "value": true, "label": true, "storeId": true, "score": true, "relevance": true, "truncated": true},
	} {
		arguments := []any{"query", "granite"}
		if tool == "memory" {
			arguments = append(arguments, "command", "search")
		}
		got := decode[struct{ Results []map[string]any }](h, h.must(bob, tool, arguments...))
		if len(got.Results) != 1 || len(got.Results[0]) != len(call) || got.Results[0]["truncated"] != true {
			t.Fatalf("%s: %.300v", tool, got)
		}
		for member := range got.Results[0] {
			if !call[member] {
				t.Errorf("%s: a hit under level search has %s", tool, member)
			}
		}
	}
}

// A search without hits says so explicitly, instead of returning a model an
// empty list.
func TestASearchWithoutRelevantHitsSaysSo(t *testing.T) {
	h := openWithModel(t)
	h.must(alice, "memory_save", "key", "parrot", "content", "The parrot of Otto is green.")
	h.index()
	for name, options := range map[string][]any{"memory_search": nil, "memory": {"command", "search"}} {
		found := func(more ...any) (results int, message string) {
			arguments := append(append([]any{"query", "what colour is Otto's parrot?"}, options...), more...)
			got := decode[struct {
				Results []struct{ Relevance float64 }
				Message string
			}](h, h.must(alice, name, arguments...))
			for _, hit := range got.Results {
				if hit.Relevance <= tool.DefaultMinRelevance {
					t.Errorf("%s: relevance %v", name, hit.Relevance)
				}
			}
			return len(got.Results), got.Message
		}
		for _, more := range [][]any{nil, {"min_relevance", 0}, {"min_relevance", 0.01, "ranking", "rrf"}} {
			if results, message := found(more...); results != 1 || message != "" {
				t.Errorf("%s %v: %d results, message %q", name, more, results, message)
			}
		}
		if results, message := found("min_relevance", 1); results != 0 || message != "nothing relevant was found" {
			t.Errorf("%s: %d results, message %q", name, results, message)
		}
	}
}

// A tool's search returns DefaultMaxTokens unless the call sets a limit, and ends
// with the number of omitted hits.
func TestASearchKeepsToItsBudget(t *testing.T) {
	h := open(t)
	for i := range 30 {
		h.must(alice, "memory_save", "key", fmt.Sprintf("k%02d", i), "content", strings.Repeat("granite and nothing else ", 30))
	}
	for name, options := range map[string][]any{"memory_search": {"max_results", 30}, "memory": {"command", "search", "limit", 30}} {
		sizes := make(map[string]int)
		for label, more := range map[string][]any{"default": nil, "small": {"max_tokens", 400}, "large": {"max_tokens", 10_000}} {
			got := decode[hitsOf](h, h.must(alice, name, append(append([]any{"query", "granite"}, options...), more...)...))
			if len(got.Results)+got.LeftOut != 30 {
				t.Errorf("%s, %s: %d results, %d left out", name, label, len(got.Results), got.LeftOut)
			}
			sizes[label] = len(got.Results)
		}
		// A hit has about 190 tokens by the estimate of a token for four bytes.
		if sizes["small"] != 2 || sizes["default"] != 10 || sizes["large"] != 30 {
			t.Errorf("%s: %v", name, sizes)
		}
		for _, budget := range []int{49, 0, -1} {
			if got := h.refused(alice, name, append(append([]any{"query", "granite"}, options...), "max_tokens", budget)...); got != "Error: `max_tokens` must be at least 50" {
				t.Errorf("%s: %s", name, got)
			}
		}
	}
}

// A call reads as much as it requests, and returns the offset to continue at.
func TestALengthBoundsTheReadText(t *testing.T) {
	h := open(t)
	h.must(alice, "memory_save", "key", "k", "content", "naïve\nline")
	for _, c := range []struct {
		offset, length int
		want           string
		next           int
	}{
		{0, 2, "na", 2}, {0, 3, "na", 2}, {2, 1, "ï", 4}, {3, 3, "ïv", 5}, {4, 100, "ve\nline", 0}, {0, 11, "naïve\nline", 0}, {7, 2, "li", 9}, {11, 5, "", 0},
	} {
		for name, call := range map[string][]any{"memory_get": {"key", "k"}, "ReadUserMemory": {"name", "k"}, "kv_get": {"key", "k"}, "memory": {"command", "view", "path", "/memories/k"}} {
			text := h.must(alice, name, append(call, "offset", c.offset, "length", c.length)...)
			got := decodePart(h, name, text)
			if got.text != c.want || got.next != c.next {
				t.Errorf("%s from %d, %d bytes: %q, next %d, want %q, %d", name, c.offset, c.length, got.text, got.next, c.want, c.next)
			}
			if text := h.refused(alice, name, append(call, "length", 0)...); text != "Error: `length` must be at least 1, in bytes" {
				t.Error(text)
			}
		}
	}
	// A view of lines is bounded by both limits.
	view := func(more ...any) string {
		text, next := viewed(h, h.must(alice, "memory", append([]any{"command", "view", "path", "/memories/k"}, more...)...))
		return fmt.Sprint(text, " ", next)
	}
	if got := view("view_range", []int{1, 1}, "length", 9); got != "naïve 0" {
		t.Error(got)
	}
	if got := view("view_range", []int{2, -1}, "length", 9); got != "li 9" {
		t.Error(got)
	}
}

// part is a part of a value that a tool has read, and the offset of the next
// one.
type part struct {
	text string
	next int
}

func decodePart(h *harness, name, answer string) part {
	if name == "memory" {
		text, next := viewed(h, answer)
		return part{text, next}
	}
	got := decode[struct {
		Content, Body, Value string
		Truncated            bool
		NextOffset           int `json:"next_offset"`
	}](h, answer)
	return part{got.Content + got.Body + got.Value, wantNext(h, got.Truncated, got.NextOffset)}
}

func FuzzOffset(f *testing.F) {
	h := openWith(f, memory.Limits{}, tool.Options{MaxAnswer: least})
	f.Add("naïve 漢字\nline", 3)
	f.Add(strings.Repeat("\u2028\"\n", 4000), 8001)
	f.Fuzz(func(t *testing.T, text string, offset int) {
		text = strings.ToValidUTF8(text, "")
		if text == "" || len(text) > 90_000 {
			return
		}
		h := &harness{Tools: h.Tools, t: t, service: h.service, clock: h.clock, index: h.index}
		h.must(alice, "memory_save", "key", "k", "content", text)
		if offset < 0 || offset > len(text) {
			if r := h.try(alice, "memory_get", "key", "k", "offset", offset); !r.IsError {
				t.Errorf("offset %d of %d: %.100s", offset, len(text), r.Text)
			}
			return
		}
		part, next := readers["memory_get"](h, offset)
		start := offset
		for start > 0 && start < len(text) && !utf8.RuneStart(text[start]) {
			start--
		}
		want := text[start:]
		if next > 0 {
			want = text[start:next]
		}
		if part != want {
			t.Errorf("from %d to %d: %.60q, want %.60q", offset, next, part, want)
		}
	})
}

// If no hit reaches the tools' own threshold, an answer lists the nearest readable entries;
// a threshold in the call is strict. A question without words finds no hits and says so.
func TestAnAnswerWithoutHitsNamesTheNearest(t *testing.T) {
	h := openWithModel(t)
	for key, text := range map[string]string{"garden": "The garden gate squeaks in the wind.", "tax": "The tax return is due in May.", "bike": "The bicycle has a flat tyre.", "cake": "The cake needs four eggs."} {
		h.must(alice, "memory_save", "key", key, "content", text)
	}
	h.must(bob, "memory_save", "key", "his", "content", "Quantum chromodynamics has eight gluons.")
	sharer := bob
	sharer.Share = true
	h.must(sharer, "memory", "command", "share", "agent", "alice", "level", "search")
	h.index()
	type nothing struct {
		Results []any
		Nearest []struct {
			Key       string
			StoreID   string `json:"store_id"`
			Text      string
			Date      string
			Unsure    bool
			Relevance float64
		}
		Message string
	}
	for name, options := range map[string][]any{"memory_search": nil, "memory": {"command", "search"}} {
		ask := func(query string, more ...any) nothing {
			return decode[nothing](h, h.must(alice, name, append(append([]any{"query", query}, options...), more...)...))
		}
		got := ask("who won the chess olympiad of 1972?")
		if len(got.Results) != 0 || len(got.Nearest) != 3 || !strings.Contains(got.Message, "unsure") {
			t.Fatalf("%s: %+v", name, got)
		}
		for i, n := range got.Nearest {
			if _, err := time.Parse(time.DateOnly, n.Date); err != nil || !strings.HasPrefix(n.Text, "The "+n.Key[:2]) {
				t.Errorf("%s: nearest %+v", name, n)
			}
			if n.StoreID != "alice" || !n.Unsure || n.Relevance >= tool.DefaultMinRelevance || i > 0 && n.Relevance > got.Nearest[i-1].Relevance {
				t.Errorf("%s: nearest %+v", name, n)
			}
		}
		if got := ask("who won the chess olympiad of 1972?", "min_relevance", tool.DefaultMinRelevance); len(got.Results) != 0 || got.Nearest != nil || got.Message != "nothing relevant was found" {
			t.Errorf("%s, strict: %+v", name, got)
		}
		// Entries that pass a condition were requested explicitly, and are not withheld.
		for _, more := range [][]any{{"where", json.RawMessage(`{"label":{"eq":"PUBLIC"}}`)}, {"match", json.RawMessage(`{"none":["gluons"]}`)}} {
			got := ask("who won the chess olympiad of 1972?", more...)
			if len(got.Results) <= 3 || got.Nearest != nil {
				t.Errorf("%s, %s: %+v", name, more[0], got)
			}
			for _, hit := range got.Results {
				if hit.(map[string]any)["unsure"] != true {
					t.Errorf("%s, %s: %v", name, more[0], hit)
				}
			}
		}
		if got := ask("when is the tax return due?"); len(got.Results) == 0 || got.Nearest != nil || got.Message != "" {
			t.Errorf("%s, with hits: %+v", name, got)
		}
		for _, query := range []string{"?", "…", "。", "!?"} {
			if got := ask(query); len(got.Results) != 0 || got.Nearest != nil || !strings.Contains(got.Message, "no words") {
				t.Errorf("%s %q: %+v", name, query, got)
			}
		}
	}
}

// A question about a person finds the person's entries, in any wording.
func TestToolsFindTheEntriesAboutASubject(t *testing.T) {
	h := openWithModel(t)
	for key, text := range map[string]string{"a": "Otto is a parrot who whistles at noon.", "b": "Otto eats sunflower seeds.", "c": "Otto was hatched in Bergen."} {
		h.must(alice, "memory_save", "key", key, "content", text)
	}
	h.index()
	for _, query := range []string{"tell me about Otto", "facts about Otto", "give me a summary of everything on Otto", "who is Otto?", "remind me about Otto", "Otto"} {
		if got := decode[hitsOf](h, h.must(alice, "memory_search", "query", query)); len(got.Results) == 0 {
			t.Errorf("%q finds nothing", query)
		}
	}
	if got := decode[hitsOf](h, h.must(alice, "memory_search", "query", "tell me about Beatrix")); len(got.Results) != 0 {
		t.Errorf("of somebody else: %v", got.Results)
	}
}
