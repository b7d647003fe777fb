package rest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mneme/memory"
	"mneme/test/wait"
)

const imports = "/v1/stores/self/import"

func TestAnImportCountsAndListsWhatItRefused(t *testing.T) {
	h := open(t)
	h.want(201, alice, "PUT", "/v1/stores/self/memories/there", `{"value":"old"}`)
	h.want(201, alice, "PUT", "/v1/stores/self/memories/same", `{"value":"same"}`)
	lines := []struct {
		text, problem, field string
	}{
		{text: `{"key":"new","value":{"a": 1}}`},
		{text: `{"key":"there","value":"new","tags":["t"]}`},
		{text: `{"key":"same","value":"same"}`},
		{text: ``},
		{text: `{"key":"new","namespace":"n","store":"alice","value":1,"ttl":60,"type":"user","description":"d","in_context":true,"encrypted":false}`},
		{text: `{"key":"self","store":"self","store_id":"alice","value":1}` + "\r"},
		{text: `{"key":"other","store":"bob","value":1}`, problem: "rule", field: "store"},
		{text: `{"key":"other","store_id":"bob","value":1}`, problem: "rule", field: "store"},
		{text: `{"key":"../x","value":1}`, problem: "rule", field: "key"},
		{text: `{"key":"x","value":1,"tags":[""]}`, problem: "rule", field: "tags"},
		{text: `{"key":"x"}`, problem: "malformed", field: "value"},
		{text: `{"value":1}`, problem: "malformed", field: "key"},
		{text: `{"key":"x","value":1,"owner":"bob"}`, problem: "malformed", field: "owner"},
		{text: `{"key":"x","value":`, problem: "malformed"},
		{text: `[]`, problem: "malformed"},
		{text: "{\"key\":\"\xff\",\"value\":1}", problem: "malformed"},
		{text: `{"key":"x","value":"` + strings.Repeat("x", 110_000) + `"}`, problem: "too-large", field: "value"},
		{text: `{"key":"x","value":"` + strings.Repeat("x", 2<<20) + `"}`, problem: "too-large"},
		{text: `{"key":"there","value":1,"in_context":false}`, problem: "conflict"},
		{text: `{"key":"x","value":1,"expires_at":"2020-01-01T00:00:00Z"}`, problem: "rule", field: "expires_at"},
		{text: `{"key":"x","value":1,"expires_at":"2030-01-01T00:00:00Z","ttl":60}`, problem: "rule", field: "expires_at"},
		{text: `{"key":"x","value":1,"occurred_at":"2020-13-01"}`, problem: "rule", field: "occurred_at"},
		{text: `{"key":"x","value":1,"occurred_at":null}`, problem: "malformed", field: "occurred_at"},
		{text: `{"key":"x","value":1,"source":"` + strings.Repeat("s", memory.MaxSource-1) + `"}`, problem: "rule", field: "source"},
		{text: `{"key":"last","value":1,"occurred_at":"2020-12-01"}`},
	}
	var body []string
	for _, line := range lines {
		body = append(body, line.text)
	}
	a := h.want(200, alice, "POST", imports, strings.Join(body, "\n"))
	got := a.json(t)
	if got["created"] != 4.0 || got["updated"] != 1.0 || got["unchanged"] != 1.0 || got["refusals_cut"] != false {
		t.Errorf("%v", a.body)
	}
	refusals := a.items(t, "refusals")
	if got["refused"] != float64(len(refusals)) {
		t.Errorf("%v refused, %d listed", got["refused"], len(refusals))
	}
	next := 0
	for i, line := range lines {
		if line.problem == "" {
			continue
		}
		r := refusals[next]
		next++
		if r["line"] != float64(i+1) || r["type"] != "urn:mneme:problem:"+line.problem || line.field != "" && r["field"] != line.field {
			t.Errorf("line %d: %v, want %s %s", i+1, r, line.problem, line.field)
		}
	}
	if next != len(refusals) {
		t.Errorf("%d lines refused, want %d", len(refusals), next)
	}
	if v := h.want(200, alice, "GET", "/v1/stores/self/memories/new", "").body; !strings.Contains(v, `"value":{"a": 1}}`) {
		t.Errorf("%s", v)
	}
}

func TestAnImportIsRefusedAsAWhole(t *testing.T) {
	h := open(t)
	h.want(201, alice, "PUT", seat, `{"value":1}`)
	h.want(403, bob, "POST", "/v1/stores/alice/import", `{"key":"x","value":1}`)
	h.want(403, bob, "POST", "/v1/stores/alice/import", "")
	h.want(403, bob, "POST", "/v1/stores/nowhere/import", "{")
	h.want(200, alice, "PUT", "/v1/stores/self/grants/bob", `{"level":"read"}`)
	h.want(403, bob, "POST", "/v1/stores/alice/import", `{"key":"x","value":1}`)
	h.want(415, alice, "POST", imports, `{"key":"x","value":1}`, "Content-Type", "application/json")
	h.want(400, alice, "POST", imports+"?namespace=x", `{"key":"x","value":1}`)
	h.want(400, alice, "POST", "/v1/stores/shared/import", `{"key":"x","value":1}`)
	if got := h.want(200, alice, "POST", imports, "").json(t); got["created"] != 0.0 || got["refused"] != 0.0 {
		t.Errorf("an empty import: %v", got)
	}
}

func TestAThousandRefusalsAreListedAndAllAreCounted(t *testing.T) {
	h := open(t)
	a := h.want(200, alice, "POST", imports, strings.Repeat("x\n", 1500)+`{"key":"k","value":1}`)
	got := a.json(t)
	refusals := a.items(t, "refusals")
	if got["refused"] != 1500.0 || len(refusals) != 1000 || got["refusals_cut"] != true || got["created"] != 1.0 || refusals[999]["line"] != 1000.0 {
		t.Errorf("%v refused, %d listed, cut %v", got["refused"], len(refusals), got["refusals_cut"])
	}
}

func TestAnImportStopsAtAFullStoreLineByLine(t *testing.T) {
	h := openWith(t, memory.Limits{Keys: 1})
	a := h.want(200, alice, "POST", imports, `{"key":"a","value":1}`+"\n"+`{"key":"b","value":1}`+"\n"+`{"key":"a","value":2}`+"\n")
	got := a.json(t)
	refusals := a.items(t, "refusals")
	if got["created"] != 1.0 || got["updated"] != 1.0 || len(refusals) != 1 || refusals[0]["status"] != 429.0 || refusals[0]["limit"] != "keys" {
		t.Errorf("%s", a.body)
	}
}

func TestAnImportWithAnIdempotencyKeyHappensOnce(t *testing.T) {
	h := open(t)
	key := []string{"Idempotency-Key", "k"}
	lines := `{"key":"a","value":1}` + "\nx\n"
	first := h.want(200, alice, "POST", imports, lines, key...).json(t)
	if first["created"] != 1.0 || first["refused"] != 1.0 {
		t.Fatalf("first: %v", first)
	}
	h.want(200, alice, "PUT", "/v1/stores/self/memories/a", `{"value":2}`)
	again := h.want(200, alice, "POST", imports, lines, key...).json(t)
	if again["created"] != 1.0 || again["refused"] != 1.0 || again["refusals_cut"] != true {
		t.Errorf("a replay: %v", again)
	}
	if got := h.want(200, alice, "GET", "/v1/stores/self/memories/a", "").json(t)["value"]; got != 2.0 {
		t.Errorf("a replay wrote %v", got)
	}
	h.want(422, alice, "POST", imports, `{"key":"b","value":1}`, key...)
	h.want(404, alice, "GET", "/v1/stores/self/memories/b", "")
	h.want(200, bob, "POST", imports, `{"key":"b","value":1}`, key...) // another agent's key
	h.want(403, bob, "POST", "/v1/stores/alice/import", lines, key...)
}

// Over a real connection an import streams in both directions: received
// lines are written while the sender still holds the connection.
func TestAnImportWritesWhileItIsSent(t *testing.T) {
	h := open(t)
	live := httptest.NewServer(h)
	defer live.Close()
	reader, writer := io.Pipe()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, live.URL+imports, reader)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-API-Key", h.Token(alice))
	r.Header.Set("Content-Type", "application/x-ndjson")
	answered := make(chan error, 1)
	go func() {
		response, err := live.Client().Do(r)
		if err == nil {
			var result struct{ Created int }
			err = json.NewDecoder(response.Body).Decode(&result)
			if closed := response.Body.Close(); err == nil {
				err = closed
			}
			if err == nil && result.Created != 100 {
				err = errors.New("created " + fmt.Sprint(result.Created))
			}
		}
		answered <- err
	}()
	for i := range 100 {
		if _, err := fmt.Fprintf(writer, "{\"key\":\"k%d\",\"value\":1}\n", i); err != nil {
			t.Fatal(err)
		}
	}
	wait.Until(t, "a line is written before the end", func() error {
		if a := h.call(alice, "GET", "/v1/stores/self/memories/k0", ""); a.status != 200 {
			return fmt.Errorf("status %d", a.status)
		}
		return nil
	})
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-answered; err != nil {
		t.Fatal(err)
	}
}

// An import that lasts longer than its token writes nothing after it.
func TestAnImportEndsWithItsToken(t *testing.T) {
	h := open(t)
	live := httptest.NewServer(h)
	defer live.Close()
	reader, writer := io.Pipe()
	answered := make(chan answer, 1)
	token := h.Token(alice)
	go func() { answered <- send(http.MethodPost, live.URL+imports, token, reader) }()
	for i := range 100 { // more than a batch
		if _, err := fmt.Fprintf(writer, "{\"key\":\"k%d\",\"value\":1}\n", i); err != nil {
			t.Fatal(err)
		}
	}
	wait.Until(t, "a line is written before the end", func() error {
		if a := h.call(alice, "GET", "/v1/stores/self/memories/k0", ""); a.status != 200 {
			return fmt.Errorf("status %d", a.status)
		}
		return nil
	})
	h.clock.Advance(2 * time.Hour)
	if _, err := io.WriteString(writer, `{"key":"late","value":1}`); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	if a := wait.For(t, "the answer", answered); a.status != http.StatusUnauthorized {
		t.Errorf("%d %s", a.status, a.body)
	}
	// Each call of want has a new token.
	h.want(404, alice, "GET", "/v1/stores/self/memories/late", "")
}
