package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mneme/acl"
	"mneme/internal/workload"
	"mneme/memory"
	"mneme/server/limit"
	"mneme/test/accesstest"
	"mneme/test/backendtest"
)

const batches = "/v1/stores/self/memories:batch"

// outcomes sends a batch and returns its outcomes.
func (h *harness) outcomes(p acl.Principal, body string, header ...string) []map[string]any {
	h.t.Helper()
	return h.want(200, p, "POST", batches, body, header...).items(h.t, "outcomes")
}

func TestABatchAnswersAsItsSingleCalls(t *testing.T) {
	h := open(t)
	got := h.outcomes(alice, `{"items":[
		{"op":"put","key":"seat","namespace":"n","value":{ "a" : 1.50 },"tags":["t"],"description":"d","occurred_at":"2023-05-08"},
		{"op":"get","key":"seat","namespace":"n"},
		{"op":"get","key":"seat","namespace":"n","if_none_match":"*"},
		{"op":"put","key":"seat","namespace":"n","value":null,"if_none_match":"*"},
		{"op":"put","key":"seat","namespace":"n","value":null},
		{"op":"put","key":"bad","value":1,"tags":[""]},
		{"op":"delete","key":"absent"},
		{"op":"put","key":"late","value":"`+strings.Repeat("x", 110_000)+`"},
		{"op":"delete","key":"seat","namespace":"n","if_match":"*"}]}`)
	var statuses []string
	for _, o := range got {
		statuses = append(statuses, fmt.Sprint(o["status"]))
	}
	if all := strings.Join(statuses, " "); all != "201 200 304 412 200 422 404 413 204" {
		t.Errorf("the outcomes are %s", all)
	}
	entry := got[1]["entry"].(map[string]any)
	if entry["key"] != "seat" || entry["namespace"] != "n" || got[1]["etag"] != got[0]["etag"] || got[2]["entry"] != nil {
		t.Errorf("a put and a get: %v", got[:3])
	}
	if problem := got[5]["problem"].(map[string]any); problem["field"] != "tags" || problem["type"] != "urn:mneme:problem:rule" {
		t.Errorf("an item that breaks a rule: %v", problem)
	}
	for _, i := range []int{3, 6, 8} {
		if got[i]["entry"] != nil {
			t.Errorf("outcome %d has an entry", i)
		}
	}
	raw := h.want(200, alice, "POST", batches, `{"items":[{"op":"put","key":"raw","value":{ "z" : 1.50, "<" : [ ] }},{"op":"get","key":"raw"}]}`)
	if strings.Count(raw.body, `"value":{ "z" : 1.50, "<" : [ ] }`) != 2 {
		t.Errorf("the value is not byte for byte as written: %s", raw.body)
	}
}

func TestAnEntityTagOfABatchHoldsInBatchesAndSingleCalls(t *testing.T) {
	h := open(t)
	tag := h.outcomes(alice, `{"items":[{"op":"put","key":"seat","value":1}]}`)[0]["etag"].(string)
	if single := h.want(200, alice, "GET", seat, "").header.Get("ETag"); single != tag {
		t.Errorf("the tag is %s, of a single call %s", tag, single)
	}
	again, _ := json.Marshal(tag)
	put := `{"items":[{"op":"put","key":"seat","value":2,"if_match":` + string(again) + `}]}`
	if got := h.outcomes(alice, put)[0]["status"]; got != 200.0 {
		t.Errorf("with the tag: %v", got)
	}
	if got := h.outcomes(alice, put)[0]["status"]; got != 412.0 {
		t.Errorf("with a stale tag: %v", got)
	}
}

func TestAnAtomicBatchNamesTheItemThatFailed(t *testing.T) {
	h := open(t)
	a := h.want(422, alice, "POST", batches, `{"atomic":true,"items":[{"op":"put","key":"a","value":1},{"op":"put","key":"b","value":1,"type":"poem"}]}`)
	if body := a.json(t); body["item"] != 1.0 || body["field"] != "type" {
		t.Errorf("the problem is %s", a.body)
	}
	h.want(404, alice, "GET", "/v1/stores/self/memories/a", "")
	if body := h.want(404, alice, "POST", batches, `{"atomic":true,"items":[{"op":"delete","key":"a"}]}`).json(t); body["item"] != 0.0 {
		t.Errorf("the first item: %v", body)
	}
}

func TestAMalformedItemIsNamedAndNothingIsDone(t *testing.T) {
	h := open(t)
	for item, field := range map[string]string{
		`{"key":"b","value":1}`:                             "items[1].op",
		`{"op":"patch","key":"b"}`:                          "items[1].op",
		`{"op":"put","key":"b"}`:                            "items[1].value",
		`{"op":"put","value":1}`:                            "items[1].key",
		`{"op":"put","key":1,"value":1}`:                    "items[1].key",
		`{"op":"put","key":"b","value":1,"tags":[1]}`:       "items[1].tags",
		`{"op":"get","key":"b","value":1}`:                  "items[1].value",
		`{"op":"get","key":"b","if_match":"*"}`:             "items[1].if_match",
		`{"op":"delete","key":"b","ttl":1}`:                 "items[1].ttl",
		`{"op":"get","key":"b","source":{"tool":"t"}}`:      "items[1].source",
		`{"op":"put","key":"b","value":1,"if_match":"x"}`:   "items[1].if_match",
		`{"op":"get","key":"b","if_none_match":"\"x"}`:      "items[1].if_none_match",
		`{"op":"put","key":"b","value":1,"label":"PUBLIC"}`: "",
		`{"op":"put","key":"b","value":1,"value":2}`:        "items[1]",
		`null`: "items[1]",
		`[]`:   "items[1]",
	} {
		for _, atomic := range []string{"false", "true"} {
			a := h.want(400, alice, "POST", batches, `{"atomic":`+atomic+`,"items":[{"op":"put","key":"a","value":1},`+item+`]}`)
			if got := a.json(t)["field"]; field != "" && got != field {
				t.Errorf("%s: field %v, want %s", item, got, field)
			}
		}
	}
	h.want(404, alice, "GET", "/v1/stores/self/memories/a", "")
	h.want(422, alice, "POST", batches, `{"items":[]}`)
	h.want(400, alice, "POST", batches, `{"items":{}}`)
	h.want(422, alice, "POST", batches, `{"items":[`+strings.Repeat(`{"op":"get","key":"a"},`, 1000)+`{"op":"get","key":"a"}]}`)
	h.want(403, bob, "POST", "/v1/stores/alice/memories:batch", `{"items":[]}`)
}

func TestABatchTakesTenMegabytes(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine does much: the full run has it")
	}
	h := open(t)
	var items []string
	for i := range 99 {
		// Encrypted values are not indexed, which is faster.
		items = append(items, fmt.Sprintf(`{"op":"put","key":"k%d","encrypted":true,"value":"%s"}`, i, strings.Repeat("x", 99_000)))
	}
	body := `{"items":[` + strings.Join(items, ",") + `]}`
	for i, o := range h.outcomes(alice, body) {
		if o["status"] != 201.0 {
			t.Fatalf("item %d: %v", i, o)
		}
	}
	h.want(413, alice, "POST", batches, `{"items":[`+strings.Join(append(items, items[:5]...), ",")+`]}`)
	h.want(403, bob, "POST", "/v1/stores/alice/memories:batch", body+strings.Repeat(" ", 1_000_000))
	var gets []string
	for i := range 120 {
		gets = append(gets, fmt.Sprintf(`{"op":"get","key":"k%d"}`, i%99))
	}
	read := h.outcomes(alice, `{"items":[`+strings.Join(gets, ",")+`]}`)
	if read[100]["status"] != 200.0 || read[110]["status"] != 413.0 {
		t.Errorf("gets of 10.9 MB: item 100 has status %v, item 110 %v", read[100]["status"], read[110]["status"])
	}
}

func TestARepeatedBatchOverRESTShowsTheFirstOutcomes(t *testing.T) {
	h := open(t)
	body := `{"items":[{"op":"put","key":"a","value":1,"if_none_match":"*"},{"op":"delete","key":"b"}]}`
	first := h.want(200, alice, "POST", batches, body, "Idempotency-Key", "k").body
	if again := h.want(200, alice, "POST", "/v1/stores/alice/memories:batch", body, "Idempotency-Key", "k").body; again != first {
		t.Errorf("first %s again %s", first, again)
	}
	h.want(422, alice, "POST", batches, `{"items":[{"op":"delete","key":"a"}]}`, "Idempotency-Key", "k")
	h.want(204, alice, "DELETE", "/v1/stores/self/memories/a", "")
	if again := h.outcomes(alice, body, "Idempotency-Key", "k"); again[0]["status"] != 404.0 || again[1]["status"] != 404.0 {
		t.Errorf("after the entry was deleted: %v", again)
	}
}

func TestEveryItemOfABatchCountsAsARequest(t *testing.T) {
	h := openOn(t, backendtest.Embedded(), memory.Limits{}, nil, limit.Rate{PerSecond: 10})
	body := `{"items":[` + strings.Repeat(`{"op":"get","key":"a"},`, 5) + `{"op":"get","key":"a"}]}`
	h.want(200, alice, "POST", batches, body)
	a := h.want(429, alice, "POST", batches, body)
	if a.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	h.want(404, alice, "GET", "/v1/stores/self/memories/a", "")
}

// The access rules hold for batches over HTTP as for single calls.
func TestAccessMatrixHoldsForBatchesOverREST(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs at once in the matrix, which is what the short run looks for: the full run has it")
	}
	t.Parallel()
	accesstest.Run(t, &overBatches{overHTTP{open(t)}})
}

type overBatches struct{ overHTTP }

func (o *overBatches) Offers(name string) bool {
	return name == accesstest.Put || name == accesstest.Get || name == accesstest.Delete
}

func (o *overBatches) Do(p acl.Principal, op accesstest.Operation) accesstest.Outcome {
	var item string
	switch op.Name {
	case accesstest.Put:
		item = body("op", "put", "key", op.Key, "value", op.Value, "in_context", op.InContext, "encrypted", op.Encrypted)
	case accesstest.Get, accesstest.Delete:
		item = body("op", op.Name, "key", op.Key)
	default:
		return o.overHTTP.Do(p, op)
	}
	a := o.call(p, "POST", "/v1/stores/"+op.Store+"/memories:batch", `{"items":[`+item+`]}`)
	if a.status != 200 {
		return accesstest.Outcome{Status: a.status}
	}
	first := a.items(o.t, "outcomes")[0]
	out := accesstest.Outcome{Status: int(first["status"].(float64))}
	if entry, ok := first["entry"].(map[string]any); ok {
		out.Value, _ = entry["value"].(string)
		if err := out.Label.UnmarshalText([]byte(entry["label"].(string))); err != nil {
			o.t.Fatal(err)
		}
	}
	return out
}

func FuzzBatchesAreAnsweredBySpecification(f *testing.F) {
	h := open(f)
	token := "Bearer " + h.Token(alice)
	for _, seed := range []string{
		`{"items":[{"op":"put","key":"a","value":1}]}`,
		`{"atomic":true,"items":[{"op":"get","key":"a"},{"op":"delete","key":"a","namespace":"n","if_match":"*"}]}`,
		`{"items":[{"op":"put","key":"a","value":"\ud800","tags":["t"],"type":"user","description":"d","in_context":false,"encrypted":true,"ttl":1,"occurred_at":"2023-05-08T09:00","timezone":"Asia/Tokyo","source":{"tool":"t","read":["x"]},"if_none_match":"\"x\""}]}`,
		`{"items":[null]}`, `{"items":[[]]}`, `{"items":"x"}`, `{"items":[{"op":"","key":""}]}`,
	} {
		f.Add(seed, "k")
	}
	f.Fuzz(func(t *testing.T, body, key string) {
		r := httptest.NewRequest(http.MethodPost, batches, strings.NewReader(body))
		r.Header.Set("Authorization", token)
		if key != "" {
			r.Header["Idempotency-Key"] = []string{key}
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		a := answer{w.Code, w.Header(), w.Body.String()}
		if a.status >= 500 {
			t.Fatalf("%d %s", a.status, a.body)
		}
		if err := conforms(http.MethodPost, batches, a); err != nil && !strings.Contains(err.Error(), "cannot unmarshal number") {
			t.Fatalf("%d is not in the specification: %v\n%s", a.status, err, a.body)
		}
		if a.status == 200 {
			sent := struct{ Items []json.RawMessage }{}
			if err := json.Unmarshal([]byte(body), &sent); err != nil || len(a.items(t, "outcomes")) != len(sent.Items) {
				t.Fatalf("%d outcomes of %d items, %v", len(a.items(t, "outcomes")), len(sent.Items), err)
			}
		}
	})
}

// BenchmarkBatch writes 1,000 entries by a batch and by single calls,
// alternately, and reports the ratio of the durations of the single calls and the
// batch.
//
//	go test ./server/rest -run '^$' -bench Batch -benchtime 5x
func BenchmarkBatch(b *testing.B) {
	for _, s := range backendtest.Storages() {
		b.Run(s.Name, func(b *testing.B) {
			h := openOn(b, s, memory.Limits{}, nil, limit.Rate{})
			zipf := workload.NewZipf(1)
			token := "Bearer " + h.Token(alice)
			send := func(method, target, text string) {
				r := httptest.NewRequest(method, target, strings.NewReader(text))
				r.Header.Set("Authorization", token)
				w := httptest.NewRecorder()
				if h.ServeHTTP(w, r); w.Code/100 != 2 {
					b.Fatalf("status %d: %s", w.Code, w.Body)
				}
			}
			var single, batched time.Duration
			for round := 0; b.Loop(); round++ {
				var items, values []string
				for i := range 1000 {
					values = append(values, zipf.Text(30))
					items = append(items, body("op", "put", "key", fmt.Sprint("batch/", round, "/", i), "value", values[i]))
				}
				start := time.Now()
				send("POST", batches, `{"items":[`+strings.Join(items, ",")+`]}`)
				batched += time.Since(start)
				start = time.Now()
				for i, value := range values {
					send("PUT", fmt.Sprint("/v1/stores/self/memories/single%2F", round, "%2F", i), body("value", value))
				}
				single += time.Since(start)
			}
			b.ReportMetric(float64(single)/float64(batched), "single/batch")
			b.ReportMetric(float64(batched.Microseconds())/float64(b.N)/1000, "µs/put")
		})
	}
}
