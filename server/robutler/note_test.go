package robutler_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"mneme/acl"
	"mneme/memory"
	"mneme/server/limit"
	"mneme/server/servertest"
	"mneme/test/backendtest"
)

const notesRoot = "/api/storage/memory-scoped"

// putNote writes a note about the principal's owner.
func (h *harness) putNote(p acl.Principal, key, content string) map[string]any {
	h.t.Helper()
	return h.want(200, p, "PUT", notesRoot, body("namespace", "owner", "key", key, "content", content, "agentId", p.Agent)).json(h.t)["entry"].(map[string]any)
}

func TestANoteIsAnEntryOfItsNamespace(t *testing.T) {
	h := open(t)
	text := body("namespace", "caller:user:ben", "key", "diet", "content", "No peanuts.", "source", "compaction",
		"at", "2026-02-03T04:05:06.789Z", "description", "what\n not to cook", "agentId", "alice")
	put := h.want(200, alice, "PUT", notesRoot, text).json(t)["entry"].(map[string]any)
	want := map[string]any{
		"id": "76280759-3fe8-53e9-ab60-77c418073095", "namespace": "caller:user:ben", "key": "diet", "content": "No peanuts.", "source": "compaction",
		"created_at": "2026-03-01T12:00:00.000Z", "updated_at": "2026-02-03T04:05:06.789Z", "description": "what not to cook",
	}
	got := h.want(200, alice, "GET", notesRoot+"?action=get&namespace=caller%3Auser%3Aben&key=diet", "").json(t)["entry"].(map[string]any)
	for name, value := range want {
		if put[name] != value || got[name] != value {
			t.Errorf("%s is %v and %v, want %v", name, put[name], got[name], value)
		}
	}
	native := h.want(200, alice, "GET", "/v1/stores/self/memories/diet?namespace=caller:user:ben", "").json(t)
	if native["value"] != "No peanuts." || native["occurred_at"] != "2026-02-03T04:05:06.789Z" {
		t.Errorf("%v", native)
	}
	// Without a time the note has the time of the write, and absent members are
	// cleared.
	h.want(200, alice, "PUT", notesRoot, body("namespace", "caller:user:ben", "key", "diet", "content", "x", "at", "yesterday"))
	got = h.want(200, alice, "GET", notesRoot+"?action=get&namespace=caller%3Auser%3Aben&key=diet", "").json(t)["entry"].(map[string]any)
	if got["updated_at"] != "2026-03-01T12:00:00.000Z" || got["source"] != "tool" || got["description"] != "" {
		t.Errorf("%v", got)
	}
	for path, n := range map[string]float64{"namespace=owner&key=diet": 0, "namespace=caller%3Auser%3Aben&key=diet": 1} {
		if a := h.want(200, alice, "DELETE", notesRoot+"?"+path, ""); a.json(t)["forgotten"] != n {
			t.Errorf("%s: %s", path, a.body)
		}
	}
	if a := h.want(200, alice, "GET", notesRoot+"?action=get&namespace=caller%3Auser%3Aben&key=diet", ""); strings.TrimSpace(a.body) != `{"entry":null}` {
		t.Errorf("%s", a.body)
	}
}

// Unicode normalization: a machine that decomposes characters, as macOS does, shares notes
// with one that does not.
func TestNotesAreReachedByEveryUnicodeForm(t *testing.T) {
	h := open(t)
	const composed, decomposed = "caller:ren\u00e9", "caller:rene\u0301"
	h.want(200, alice, "PUT", notesRoot, body("namespace", decomposed, "key", "cafe\u0301", "content", "one", "at", "2026-03-01T11:00:00.000Z"))
	for _, namespace := range []string{composed, decomposed} {
		named := "namespace=" + url.QueryEscape(namespace)
		got := h.want(200, alice, "GET", notesRoot+"?action=get&"+named+"&key=cafe%CC%81", "").json(t)["entry"].(map[string]any)
		if got["namespace"] != composed || got["key"] != "caf\u00e9" || got["content"] != "one" {
			t.Errorf("%+q: got %+q", namespace, got)
		}
		if list := h.want(200, alice, "GET", notesRoot+"?action=list&"+named, "").json(t)["entries"].([]any); len(list) != 1 {
			t.Errorf("%+q: %d in the list", namespace, len(list))
		}
		start := h.want(200, alice, "GET", notesRoot+"?action=sync&"+named, "").json(t)
		if len(start["lines"].([]any)) != 1 {
			t.Errorf("%+q: pulled %v", namespace, start["lines"])
		}
		h.clock.Advance(time.Second)
		late := h.clock.Now().Format(noteTimes)
		pushed := body("namespace", namespace, "lines", []any{map[string]any{"op": "put", "namespace": decomposed, "key": "cafe\u0301", "content": "one", "at": late}})
		if n := h.want(200, alice, "POST", notesRoot+"?action=sync", pushed).json(t)["applied"]; n != 1.0 {
			t.Errorf("%+q: %v applied", namespace, n)
		}
		changed := h.want(200, alice, "GET", notesRoot+"?action=sync&"+named+"&since="+url.QueryEscape(start["cursor"].(string)), "").json(t)
		if len(changed["lines"].([]any)) != 1 {
			t.Errorf("%+q: the change was not pulled: %v", namespace, changed["lines"])
		}
	}
}

const noteTimes = "2006-01-02T15:04:05.000Z"

func TestNotesAreListedTheLatestFirstAndSearchedWithinTheirNamespaces(t *testing.T) {
	h := open(t)
	h.want(200, alice, "PUT", root+"/outside", `{"value":"a lighthouse that is no note"}`)
	for n, namespace := range []string{"owner", "shared", "caller:user:ben", "caller:user:eve"} {
		for k := range 3 {
			h.want(200, alice, "PUT", notesRoot, body("namespace", namespace, "key", fmt.Sprintf("k%d", k), "content", "a lighthouse",
				"source", []string{"tool", "compaction", "sync"}[k], "at", fmt.Sprintf("2026-01-0%dT00:00:0%dZ", k+1, n)))
		}
	}
	h.index()
	listed := func(query string) (all []string) {
		for _, e := range h.want(200, alice, "GET", notesRoot+"?"+query, "").json(t)["entries"].([]any) {
			m := e.(map[string]any)
			all = append(all, fmt.Sprint(m["namespace"], " ", m["key"]))
		}
		return all
	}
	for query, want := range map[string][]string{
		"action=list&limit=5": {"caller:user:eve k2", "caller:user:ben k2", "shared k2", "owner k2", "caller:user:eve k1"},
		"action=list&limit=1": {"caller:user:eve k2"},
		"action=list&namespace=owner&namespace=shared&excludeSource=compaction&excludeSource=sync": {"shared k0", "owner k0"},
		"action=list&namespace=owner&prefix=k1":                                                    {"owner k1"},
		"action=list&namespace=caller%3Aagent%3Anobody":                                            nil,
	} {
		if got := listed(query); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	if all := listed("action=list&limit=100000"); len(all) != 12 {
		t.Errorf("%d notes", len(all))
	}
	if all := listed("action=search&q=lighthouse&limit=50"); len(all) != 12 {
		t.Errorf("found %q", all)
	}
	found := listed("action=search&q=lighthouse&namespace=shared&namespace=caller%3Auser%3Aben")
	if len(found) != 6 || slices.ContainsFunc(found, func(n string) bool { return strings.HasPrefix(n, "owner") || strings.HasSuffix(n, "eve") }) {
		t.Errorf("found %q", found)
	}
}

// A list is ordered by its visible times, even if another surface wrote the last version.
func TestNotesThatOthersChangedAreListedByTheTimesThatTheyShow(t *testing.T) {
	h := open(t)
	m := h.machine(alice)
	at := func(minute int) string { return fmt.Sprintf("2026-03-01T11:%02d:00.000Z", minute) }
	for k, key := range []string{"a", "b", "c", "d", "e"} {
		m.push(syncLine{Op: "put", Key: key, At: at(k)})
		if key != "e" {
			m.push(syncLine{Op: "put", Key: key, At: at(10 + k)})
		}
	}
	h.clock.Advance(time.Second)
	h.want(200, alice, "PUT", "/v1/stores/self/memories/b?namespace=owner", body("value", "corrected"))
	h.clock.Advance(time.Second)
	for query, want := range map[string]string{"": "b d c a e", "&limit=3": "b d c", "&limit=1": "b"} {
		a := h.want(200, alice, "GET", notesRoot+"?action=list&namespace=owner"+query, "")
		if got := strings.Join(a.all(t, "entries", "key"), " "); got != want {
			t.Errorf("%q: %s, want %s", query, got, want)
		}
		times := a.all(t, "entries", "updated_at")
		slices.Reverse(times)
		if !slices.IsSorted(times) {
			t.Errorf("%q: %s", query, times)
		}
	}
}

// Regression test: a thousand notes of 100 kB took 400 MB of memory for each reader.
func TestListedNotesAreReadWhileTheAnswerIsWritten(t *testing.T) {
	for _, action := range []string{"list", "search&q=lighthouse"} {
		t.Run(action, func(t *testing.T) {
			h := open(t)
			for k := range 12 {
				h.putNote(alice, fmt.Sprintf("k%02d", k), "a lighthouse"+strings.Repeat(".", 90_000))
				h.clock.Advance(time.Second)
			}
			h.index()
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, notesRoot+"?limit=20&action="+action, nil)
			r.Header.Set("Authorization", "Bearer "+h.Token(alice))
			w, _ := servertest.Paused(h, r, func() {
				for k := range 12 {
					h.putNote(alice, fmt.Sprintf("k%02d", k), "changed")
				}
			})
			a := answer{w.Code, w.Header(), w.Body.String()}
			contents := a.all(t, "entries", "content")
			if fresh := slices.DeleteFunc(slices.Clone(contents), func(c string) bool { return c != "changed" }); len(contents) != 12 || len(fresh) < 5 {
				t.Errorf("%d notes, %d of them read after the answer had begun", len(contents), len(fresh))
			}
		})
	}
}

// A list to a slow reader ends with its token.
func TestAListEndsWithItsToken(t *testing.T) {
	h := open(t)
	for k := range 350 {
		h.putNote(alice, fmt.Sprintf("k%03d", k), strings.Repeat("x", 1000))
	}
	for _, list := range []string{root, notesRoot + "?action=list&limit=350"} {
		for _, c := range []struct {
			pause  time.Duration
			broken bool
		}{{time.Minute, false}, {2 * time.Hour, true}} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, list, http.NoBody)
			r.Header.Set("Authorization", "Bearer "+h.Token(alice))
			a, broken := servertest.Paused(h, r, func() { h.clock.Advance(c.pause) })
			if whole := strings.HasSuffix(a.Body.String(), "}\n"); a.Code != 200 || broken != c.broken || whole == c.broken {
				t.Errorf("%s after a pause of %v: status %d, whole: %t, broken off: %t", list, c.pause, a.Code, whole, broken)
			}
		}
	}
}

// A note that another surface creates has its creation time, although its event is long
// past.
func TestANoteThatAnotherSurfaceCreatesIsTheLatest(t *testing.T) {
	h := open(t)
	h.putNote(alice, "before", "x")
	h.clock.Advance(time.Second)
	h.want(201, alice, "PUT", "/v1/stores/self/memories/past?namespace=owner", body("value", "x", "occurred_at", "2020-01-01T00:00:00Z"))
	for limit, want := range map[string]string{"1": "past", "2": "past before"} {
		a := h.want(200, alice, "GET", notesRoot+"?action=list&limit="+limit, "")
		if got := strings.Join(a.all(t, "entries", "key"), " "); got != want {
			t.Errorf("at most %s: %s, want %s", limit, got, want)
		}
	}
}

// A list has the latest notes, however many older notes were written after them, and
// however many it excludes.
func TestAListHasTheLatestNotesAmongAnyNumberOfOthers(t *testing.T) {
	h := open(t)
	m := h.machine(alice)
	for version := range 2 {
		var others []map[string]string
		for k := range 1002 {
			others = append(others, map[string]string{"op": "put", "key": fmt.Sprint(k), "at": fmt.Sprintf("2026-03-01T11:2%d:00.000Z", version), "source": "compaction"})
		}
		h.want(200, alice, "POST", notesRoot+"?action=sync", body("namespace", "owner", "lines", others))
	}
	m.push(syncLine{Op: "put", Key: "new", At: "2026-03-01T11:40:00.000Z"}, syncLine{Op: "put", Key: "old", At: "2026-03-01T11:00:00.000Z"})
	for query, want := range map[string]string{"limit=1": "new", "limit=3&excludeSource=compaction": "new old"} {
		a := h.want(200, alice, "GET", notesRoot+"?action=list&"+query, "")
		if got := strings.Join(a.all(t, "entries", "key"), " "); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}

func TestNotesAreTheAgentsOwn(t *testing.T) {
	h := open(t)
	h.putNote(alice, "k", "the canary of alice")
	h.want(200, alice, "POST", root+"?action=share", `{"grantee":"bob","level":"readwrite"}`)
	for _, call := range [][3]string{
		{"GET", "?action=get&namespace=owner&key=k&store=alice", ""}, {"GET", "?action=list&store=alice", ""},
		{"GET", "?action=search&q=canary&store=alice", ""}, {"GET", "?action=sync&namespace=owner&store=alice", ""},
	} {
		if a := h.want(200, bob, call[0], notesRoot+call[1], call[2]); strings.Contains(a.body, "canary of alice") {
			t.Errorf("%s: %s", call[1], a.body)
		}
		h.want(403, bob, call[0], notesRoot+call[1]+"&agentId=alice", call[2])
	}
	h.want(403, bob, "PUT", notesRoot, body("namespace", "owner", "key", "k", "content", "x", "agentId", "alice"))
	h.want(403, bob, "POST", notesRoot+"?action=sync", `{"namespace":"owner","lines":[],"agentId":"alice"}`)
	h.want(403, bob, "DELETE", notesRoot+"?namespace=owner&key=k&agentId=alice", "")
	// A label above the taint hides the note from every call.
	secret := agent("alice", acl.Restricted)
	h.putNote(secret, "high", "a canary of RESTRICTED")
	for _, query := range []string{"action=get&namespace=owner&key=high", "action=list", "action=search&q=canary", "action=sync&namespace=owner"} {
		if a := h.want(200, alice, "GET", notesRoot+"?"+query, ""); strings.Contains(a.body, "RESTRICTED") {
			t.Errorf("%s: %s", query, a.body)
		}
	}
}

func TestBadNotesAreRefused(t *testing.T) {
	h := open(t)
	for _, c := range []struct {
		status                     int
		method, query, body, field string
	}{
		{400, "GET", "?action=get&namespace=other&key=k", "", "namespace"},
		{400, "GET", "?action=get&key=k", "", "namespace"},
		{422, "GET", "?action=get&namespace=owner", "", "key"},
		{400, "GET", "?action=list&namespace=caller:", "", "namespace"},
		{400, "GET", "?action=list&namespace=caller:a%20b", "", "namespace"},
		{400, "GET", "?action=list&namespace=caller:a,owner", "", "namespace"},
		{400, "GET", "?action=list&limit=few", "", "limit"},
		{422, "GET", "?action=list&namespace=caller:" + strings.Repeat("n", 250), "", "namespace"},
		{400, "GET", "?action=list" + strings.Repeat("&namespace=owner", 101), "", "namespace"},
		{422, "GET", "?action=search", "", "q"},
		{400, "GET", "?action=sync", "", "namespace"},
		{400, "GET", "", "", "action"},
		{400, "PUT", "", `{"namespace":"owner","key":"k"}`, "content"},
		{422, "PUT", "", `{"namespace":"owner","key":"..","content":"x"}`, "key"},
		{400, "PUT", "", `{"namespace":"x","key":"k","content":"x"}`, "namespace"},
		{400, "POST", "?action=sync", `{"namespace":"owner","lines":7}`, "lines"},
		{413, "POST", "?action=sync", `{"namespace":"owner","lines":[` + strings.Repeat("{},", 5000) + `{}]}`, "lines"},
		{400, "DELETE", "?namespace=x&key=k", "", "namespace"},
	} {
		if field := h.want(c.status, alice, c.method, notesRoot+c.query, c.body).json(t)["field"]; field != c.field {
			t.Errorf("%s %.60s %.60s: field %v, want %s", c.method, c.query, c.body, field, c.field)
		}
	}
}

// Regression test: ten megabytes of lines took a gigabyte before they were
// counted.
func TestLinesBeyondTheLimitAreNotDecoded(t *testing.T) {
	h := open(t)
	for element, status := range map[string]int{"0": 400, "{}": 413} {
		lines := strings.Repeat(element+",", 9_900_000/(len(element)+1)) + element
		text := `{"namespace":"owner","lines":[` + lines + `]}`
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		a := h.call(alice, "POST", notesRoot+"?action=sync", text)
		runtime.ReadMemStats(&after)
		if a.status != status || a.json(t)["field"] != "lines" {
			t.Errorf("%s: status %d: %s", element, a.status, a.body)
		}
		if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 200 { // the body is copied a few times
			t.Errorf("%s: %d MB for %d MB of lines", element, used, len(lines)>>20)
		}
	}
}

// A value counts by its characters, not by the client's escapes.
func TestANoteMayBeEscaped(t *testing.T) {
	h := openWith(t, memory.Limits{Value: 1_000_000})
	put := func(letters int) answer {
		return h.call(alice, "PUT", notesRoot, `{"namespace":"owner","key":"k","content":"`+strings.Repeat(`\u00e9`, letters)+`"}`)
	}
	a := put(300_000)
	if a.status != 200 {
		t.Fatalf("status %d: %.300s", a.status, a.body)
	}
	if content := a.json(t)["entry"].(map[string]any)["content"]; content != strings.Repeat("é", 300_000) {
		t.Errorf("%.100s", content)
	}
	if a := put(500_000); a.status != 413 || a.json(t)["field"] != "value" {
		t.Errorf("above the limit: status %d: %.300s", a.status, a.body)
	}
}

// pulled is the answer of a pull.
type pulled struct {
	Lines  []syncLine
	Cursor string
	More   bool
}

type syncLine struct{ Op, ID, Namespace, Key, Content, Description, Source, At string }

// machine is a client that holds a copy of a namespace, like the local store of
// webagents: the latest version of each note wins.
type machine struct {
	*harness
	as     acl.Principal
	notes  map[string]syncLine
	cursor string
}

func (h *harness) machine(as acl.Principal) *machine {
	return &machine{harness: h, as: as, notes: map[string]syncLine{}}
}

// pull reads all pages of changes.
func (m *machine) pull() {
	m.t.Helper()
	for more := true; more; {
		var p pulled
		a := m.want(200, m.as, "GET", notesRoot+"?action=sync&namespace=owner&since="+url.QueryEscape(m.cursor), "")
		if err := json.Unmarshal([]byte(a.body), &p); err != nil {
			m.t.Fatal(err)
		}
		for _, l := range p.Lines {
			if held, ok := m.notes[l.Key]; ok && held.At >= l.At {
				continue
			}
			if delete(m.notes, l.Key); l.Op == "put" {
				m.notes[l.Key] = l
			}
		}
		m.cursor, more = p.Cursor, p.More
	}
}

func (m *machine) push(lines ...syncLine) (applied float64) {
	m.t.Helper()
	all := []map[string]string{}
	for _, l := range lines {
		all = append(all, map[string]string{"op": l.Op, "key": l.Key, "content": l.Content, "at": l.At, "namespace": "owner", "source": "tool"})
	}
	return m.want(200, m.as, "POST", notesRoot+"?action=sync", body("namespace", "owner", "lines", all)).json(m.t)["applied"].(float64)
}

func (m *machine) has(want map[string]string) {
	m.t.Helper()
	got := map[string]string{}
	for key, l := range m.notes {
		got[key] = l.Content
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		m.t.Errorf("%v, want %v", got, want)
	}
}

func TestMachinesThatPullAndPushHaveTheSameNotes(t *testing.T) {
	h := open(t)
	const early, late = "2026-03-01T11:00:00.000Z", "2026-03-01T11:30:00.000Z"
	one, two := h.machine(alice), h.machine(alice)
	for k := range 230 { // more than two pages
		h.putNote(alice, fmt.Sprintf("note-%03d", k), "at first")
	}
	h.want(200, alice, "PUT", notesRoot, body("namespace", "shared", "key", "other", "content", "of another namespace"))
	one.pull()
	two.pull()
	if len(one.notes) != 230 || len(two.notes) != 230 {
		t.Fatalf("%d and %d notes", len(one.notes), len(two.notes))
	}
	h.clock.Advance(time.Second)
	for k := range 230 {
		h.want(200, alice, "DELETE", fmt.Sprintf("%s?namespace=owner&key=note-%03d", notesRoot, k), "")
	}
	h.clock.Advance(time.Second)
	h.want(200, alice, "PUT", notesRoot, body("namespace", "shared", "key", "other", "content", "changed"))
	if n := one.push(syncLine{Op: "put", Key: "a", Content: "early", At: early}, syncLine{Op: "put", Key: "b", Content: "b", At: early}); n != 2 {
		t.Errorf("%v applied", n)
	}
	// The latest version of a note wins, whatever the order in which versions arrive.
	// Unreadable lines are skipped.
	if n := two.push(syncLine{Op: "put", Key: "a", Content: "late", At: late}); n != 1 {
		t.Errorf("%v applied", n)
	}
	if n := one.push(
		syncLine{Op: "put", Key: "a", Content: "early", At: early}, syncLine{Op: "delete", Key: "a", At: early},
		syncLine{Op: "delete", Key: "missing", At: late}, syncLine{Op: "put", Key: "b", Content: "x", At: "then"},
		syncLine{Op: "copy", Key: "b", At: late}, syncLine{Op: "put", Key: "..", At: late}, syncLine{Op: "delete", Key: "b", At: late},
	); n != 1 {
		t.Errorf("%v applied", n)
	}
	// A line from before a deletion does not restore the note.
	if n := two.push(syncLine{Op: "put", Key: "note-001", Content: "old", At: early}, syncLine{Op: "put", Key: "b", Content: "old", At: early}); n != 0 {
		t.Errorf("%v applied", n)
	}
	one.pull()
	two.pull()
	for _, m := range []*machine{one, two} {
		m.has(map[string]string{"a": "late"})
	}
	// A deletion has the machine's time, not the time of the push.
	if n := one.push(syncLine{Op: "delete", Key: "a", At: "2026-03-01T11:40:00.000Z"}); n != 1 {
		t.Errorf("%v applied", n)
	}
	if n := one.push(syncLine{Op: "put", Key: "a", Content: "before it", At: "2026-03-01T11:39:59.999Z"}); n != 0 {
		t.Errorf("%v applied", n)
	}
	edit := syncLine{Op: "put", Key: "a", Content: "after it", At: "2026-03-01T11:50:00.000Z"}
	two.notes["a"] = edit
	two.pull() // the machine has a later version of the note
	two.has(map[string]string{"a": "after it"})
	if n := two.push(edit); n != 1 {
		t.Errorf("%v applied", n)
	}
	one.pull()
	two.pull()
	for _, m := range []*machine{one, two} {
		m.has(map[string]string{"a": "after it"})
	}
	// A deletion without a machine's time has its own instant.
	h.clock.Advance(time.Second)
	h.want(200, alice, "DELETE", notesRoot+"?namespace=owner&key=a", "")
	if n := two.push(syncLine{Op: "put", Key: "a", Content: "old", At: "2026-03-01T11:59:59.000Z"}); n != 0 {
		t.Errorf("%v applied", n)
	}
	one.pull()
	two.pull()
	for _, m := range []*machine{one, two} {
		m.has(nil)
	}
	if n := two.push(syncLine{Op: "put", Key: "a", Content: "new", At: h.clock.Now().Add(time.Second).Format(noteTimes)}); n != 1 {
		t.Errorf("%v applied", n)
	}
	// An unknown cursor starts over.
	three := h.machine(alice)
	three.cursor = "not a cursor"
	three.pull()
	three.has(map[string]string{"a": "new"})
}

func TestTheLatestDeletionOfANoteCounts(t *testing.T) {
	h := open(t)
	one, two, higher := h.machine(alice), h.machine(alice), h.machine(agent("alice", acl.Internal))
	push := func(m *machine, op, key, at string, want float64) {
		t.Helper()
		if n := m.push(syncLine{Op: op, Key: key, Content: at, At: at}); n != want {
			t.Errorf("%s at %s: %v applied, want %v", op, at, n, want)
		}
	}
	at := func(minute int) string { return fmt.Sprintf("2026-03-01T11:%02d:00.000Z", minute) }
	push(one, "put", "a", at(0), 1)
	two.pull()
	push(one, "delete", "a", at(40), 1)
	push(one, "delete", "a", at(30), 0)
	push(one, "delete", "a", at(50), 1)
	push(one, "delete", "a", at(50), 0)
	push(two, "put", "a", at(45), 0)
	two.notes["a"] = syncLine{Op: "put", Key: "a", At: at(45)}
	two.pull()
	two.has(nil)
	push(two, "put", "a", at(55), 1)
	// The same after a deletion without a machine's time.
	h.want(200, alice, "DELETE", notesRoot+"?namespace=owner&key=a", "")
	later := func(d time.Duration) string { return h.clock.Now().Add(d).Format(noteTimes) }
	push(one, "delete", "a", later(2*time.Second), 1)
	push(two, "put", "a", later(time.Second), 0)
	push(two, "put", "a", later(3*time.Second), 1)
	push(one, "delete", "a", later(4*time.Second), 1)

	// A session of a higher label also sees notes of lower labels.
	push(one, "put", "b", at(0), 1)
	higher.pull()
	push(one, "delete", "b", at(40), 1)
	push(higher, "put", "b", at(30), 0)
	higher.notes["b"] = syncLine{Op: "put", Key: "b", Content: "after it", At: at(45)}
	higher.pull()
	higher.has(map[string]string{"b": "after it"})
	push(higher, "put", "b", at(45), 1)
	push(higher, "delete", "b", at(46), 1)
	push(one, "put", "b", at(42), 1)
	push(one, "delete", "b", at(50), 1)
	push(higher, "put", "b", at(48), 0)
	push(higher, "put", "b", at(51), 1)
}

// A version that another surface corrected or restored is the latest, on every machine.
func TestAChangeByAnotherSurfaceIsTheLatest(t *testing.T) {
	const entry = "/v1/stores/self/memories/k"
	const owner = "?namespace=owner"
	for name, change := range map[string]func(h *harness){
		"a correction": func(h *harness) { h.want(200, alice, "PUT", entry+owner, body("value", "changed")) },
		"with occurred_at": func(h *harness) {
			h.want(200, alice, "PUT", entry+owner, body("value", "changed", "occurred_at", "2020-01-01T00:00:00Z"))
		},
		"a restored version": func(h *harness) {
			h.want(200, alice, "POST", entry+"/restore"+owner, `{"version":1}`)
		},
		"a restored note": func(h *harness) {
			h.want(204, alice, "DELETE", entry+owner, "")
			h.clock.Advance(time.Minute)
			h.want(200, alice, "POST", entry+"/restore"+owner, "{}")
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t)
			one, two := h.machine(alice), h.machine(alice)
			at := func(d time.Duration) string { return h.clock.Now().Add(d).Format(noteTimes) }
			if n := one.push(syncLine{Op: "put", Key: "k", Content: "changed", At: at(-2 * time.Hour)}, syncLine{Op: "put", Key: "k", Content: "at first", At: at(-time.Hour)}); n != 2 {
				t.Fatalf("%v applied", n)
			}
			two.pull()
			h.clock.Advance(time.Hour)
			change(h)
			want := map[string]string{"k": "changed"}
			if name == "a restored note" {
				want["k"] = "at first"
			}
			two.pull()
			two.has(want)
			if held := two.notes["k"]; held.At != at(0) {
				t.Errorf("changed at %s, want %s", held.At, at(0))
			}
			if n := one.push(syncLine{Op: "put", Key: "k", Content: "older", At: at(-30 * time.Minute)}, syncLine{Op: "delete", Key: "k", At: at(-time.Minute)}); n != 0 {
				t.Errorf("%v older lines applied", n)
			}
			if n := one.push(syncLine{Op: "put", Key: "k", Content: "later", At: at(time.Second)}); n != 1 {
				t.Errorf("%v later lines applied", n)
			}
		})
	}
}

// Each attempt of a client that repeats refused lines gets further.
func TestAPushCountsAsManyRequestsAsItHasWrites(t *testing.T) {
	h := openRated(t, backendtest.Embedded(), memory.Limits{}, limit.Rate{PerSecond: 1, Burst: 10})
	push := func(status int, prefix string) answer {
		var lines []map[string]string
		for k := range 6 {
			lines = append(lines, map[string]string{"op": "put", "key": fmt.Sprint(prefix, k), "at": "2026-03-01T11:00:00.000Z"})
		}
		return h.want(status, alice, "POST", notesRoot+"?action=sync", body("namespace", "owner", "lines", lines))
	}
	push(200, "a")
	if a := push(429, "b"); a.header.Get("Retry-After") == "" || a.json(t)["limit"] != "agent_requests" {
		t.Errorf("%v %s", a.header, a.body)
	}
	h.clock.Advance(2 * time.Second)
	if a := push(200, "b"); a.json(t)["applied"] != 2.0 {
		t.Errorf("%s", a.body)
	}
	h.clock.Advance(2 * time.Second)
	var lines []syncLine
	for k := range 20 { // deletions of notes that never existed
		lines = append(lines, syncLine{Op: "delete", Key: fmt.Sprint("gone", k), At: "2026-03-01T11:00:00.000Z"})
	}
	for k := range 6 { // deletions of notes with a lower label
		lines = append(lines, syncLine{Op: "delete", Key: fmt.Sprint("a", k), At: h.clock.Now().Add(time.Second).Format(noteTimes)})
	}
	lines = append(lines, syncLine{Op: "put", Key: "last", At: "2026-03-01T11:00:00.000Z"})
	if n := h.machine(agent("alice", acl.Internal)).push(lines...); n != 1 {
		t.Errorf("after lines that write nothing: %v applied", n)
	}
}

func TestAPushedLineThatConflictsIsPassedBy(t *testing.T) {
	h := open(t)
	m := h.machine(agent("alice", acl.Internal))
	h.putNote(alice, "lower", "of a PUBLIC session")
	h.want(201, m.as, "PUT", "/v1/stores/self/memories/secret?namespace=owner", body("value", "x", "encrypted", true))
	h.want(201, alice, "PUT", "/v1/stores/self/memories/below?namespace=owner", body("value", "x", "encrypted", true))
	h.want(201, m.as, "PUT", "/v1/stores/self/memories/apart?namespace=owner", body("value", "x", "in_context", false))
	at := h.clock.Now().Add(time.Second).Format(noteTimes)
	for _, conflicting := range []syncLine{
		{Op: "delete", Key: "lower", At: at}, {Op: "put", Key: "secret", Content: "y", At: at}, {Op: "put", Key: "apart", Content: "y", At: at},
	} {
		if n := m.push(conflicting, syncLine{Op: "put", Key: "after-" + conflicting.Key, At: at}); n != 1 {
			t.Errorf("%s: %v applied", conflicting.Key, n)
		}
	}
	if n := m.push(syncLine{Op: "put", Key: "below", Content: "y", At: at}); n != 1 { // next to a PUBLIC session's encrypted note
		t.Errorf("%v applied", n)
	}
}
