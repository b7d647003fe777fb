package rest_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestConditionsRestrictSearchesListsAndExports(t *testing.T) {
	h := open(t)
	h.want(201, alice, "PUT", "/v1/stores/self/memories/a", `{"value":{"text":"a red kite","price":12},"tags":["x"]}`)
	h.want(201, alice, "PUT", "/v1/stores/self/memories/b", `{"value":{"text":"a red ball","price":30}}`)
	cheap := `{"value.price":{"lt":20}}`
	for name, a := range map[string]answer{
		"search": h.want(200, alice, "POST", "/v1/search", `{"query":"red","where":`+cheap+`}`),
		"list":   h.want(200, alice, "GET", "/v1/stores/self/memories?where="+url.QueryEscape(cheap), ""),
		"export": h.want(200, alice, "GET", "/v1/stores/self/export?where="+url.QueryEscape(cheap), ""),
	} {
		if !strings.Contains(a.body, "kite") || strings.Contains(a.body, "ball") {
			t.Errorf("%s: %s", name, a.body)
		}
	}
	for where, field := range map[string]string{
		`{"and":[{"key":{"eq":"a"}},{"updated_at":{"gte":"soon"}}]}`: "where.and[1].updated_at.gte",
		`{"colour":{"eq":"red"}}`:                                    "where.colour",
		`{"tags":{"like":"x"}}`:                                      "where.tags.like",
		`{"key":{"in":[]}}`:                                          "where.key.in",
		`{"key":{"eq":"\u0000"}}`:                                    "where.key.eq",
		`{}`:                                                         "where",
		`"x"`:                                                        "where",
	} {
		for name, a := range map[string]answer{
			"search": h.want(422, alice, "POST", "/v1/search", `{"query":"red","where":`+where+`}`),
			"list":   h.want(422, alice, "GET", "/v1/stores/self/memories?where="+url.QueryEscape(where), ""),
			"export": h.want(422, alice, "GET", "/v1/stores/self/export?where="+url.QueryEscape(where), ""),
		} {
			if !strings.Contains(a.body, `"field":"`+field+`"`) {
				t.Errorf("%s by %s: %s", name, where, a.body)
			}
		}
	}
	h.want(400, alice, "POST", "/v1/search", `{"query":"red","where":null}`)
}

// The longest conditions in a URL reach the server in every encoding, next to a long
// token.
func TestTheLongestConditionsOfAURLAreAnswered(t *testing.T) {
	h := open(t)
	h.want(201, alice, "PUT", "/v1/stores/self/memories/a", `{"value":"a red kite"}`)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- h.Serve(ctx, listener) }()
	defer func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	}()
	parameter := func(name, text string, length int) string {
		text += strings.Repeat(" ", length-len(text))
		var encoded strings.Builder
		for _, b := range []byte(text) {
			fmt.Fprintf(&encoded, "%%%02X", b)
		}
		return name + "=" + encoded.String()
	}
	const where, match = `{"key":{"eq":"a"}}`, `{"all":["kite"]}`
	for name, set := range map[string]func(*http.Protocols){
		"HTTP/1.1": func(p *http.Protocols) { p.SetHTTP1(true) }, "HTTP/2": func(p *http.Protocols) { p.SetUnencryptedHTTP2(true) },
	} {
		transport := &http.Transport{Protocols: new(http.Protocols)}
		set(transport.Protocols)
		for _, path := range []string{"memories", "export"} {
			for query, want := range map[string]struct {
				status int
				in     string
			}{
				parameter("where", where, 8192) + "&" + parameter("match", match, 8192): {200, "a red kite"},
				parameter("where", where, 8193):                                         {422, `"field":"where"`},
				parameter("match", match, 8193):                                         {422, `"field":"match"`},
			} {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+listener.Addr().String()+"/v1/stores/self/"+path+"?"+query, nil)
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Authorization", "Bearer "+h.Token(alice))
				r.Header.Set("X-Beside", strings.Repeat("x", 30_000))
				response, err := transport.RoundTrip(r)
				if err != nil {
					t.Fatalf("%s over %s: %v", path, name, err)
				}
				text, err := io.ReadAll(response.Body)
				response.Body.Close()
				if err != nil || response.StatusCode != want.status || !strings.Contains(string(text), want.in) {
					t.Errorf("%s over %s: %d, %v: %.200s", path, name, response.StatusCode, err, text)
				}
			}
		}
		transport.CloseIdleConnections()
	}
	h.want(200, alice, "POST", "/v1/search", `{"query":"red","where":`+where+strings.Repeat(" ", 20_000)+`}`)
}

// Dates and local times take the zone of the request, in conditions and in writes.
func TestRequestsHaveATimezone(t *testing.T) {
	h := open(t)
	for _, c := range [][3]string{ // key, sent and returned time
		{"year", `"occurred_at":"2026"`, "2026"}, {"month", `"occurred_at":"2026-06","timezone":"Asia/Tokyo"`, "2026-06"},
		{"late", `"occurred_at":"2026-07-01T08:00","timezone":"Asia/Tokyo"`, "2026-06-30T23:00:00Z"},
		{"noon", `"occurred_at":"2026-06-30T12:00"`, "2026-06-30T12:00:00Z"},
	} {
		h.want(201, alice, "PUT", "/v1/stores/self/memories/"+c[0], `{"value":"a red kite",`+c[1]+`}`)
		if got := h.want(200, alice, "GET", "/v1/stores/self/memories/"+c[0], "").json(t)["occurred_at"]; got != c[2] {
			t.Errorf("%s: %v, want %s", c[0], got, c[2])
		}
	}
	batch := h.outcomes(alice, `{"items":[{"op":"put","key":"batch","value":"x","occurred_at":"2020-01-01T00:00","timezone":"+01:00"},
		{"op":"put","key":"bad","value":"x","timezone":"Mars/Olympus"}]}`)
	if got := batch[0]["entry"].(map[string]any)["occurred_at"]; got != "2019-12-31T23:00:00Z" {
		t.Errorf("of a batch: %v", got)
	}
	if bad := batch[1]["problem"].(map[string]any); batch[1]["status"] != 422.0 || bad["field"] != "timezone" {
		t.Errorf("of a batch: %v", batch[1])
	}
	h.want(400, alice, "POST", batches, `{"items":[{"op":"get","key":"noon","timezone":"UTC"}]}`)
	asked := func(status int, where, zone string) map[string]answer {
		query, body := "?where="+url.QueryEscape(where), `{"query":"red kite","where":`+where
		if zone != "" {
			query, body = query+"&timezone="+url.QueryEscape(zone), body+`,"timezone":"`+zone+`"`
		}
		return map[string]answer{
			"search": h.want(status, alice, "POST", "/v1/search", body+"}"),
			"list":   h.want(status, alice, "GET", "/v1/stores/self/memories"+query, ""),
			"export": h.want(status, alice, "GET", "/v1/stores/self/export"+query, ""),
		}
	}
	for _, c := range []struct{ zone, found, missed string }{
		{"", "noon late", "month year"}, {"Asia/Tokyo", "noon", "late month year"}, {"-12:00", "noon late", "month year"},
	} {
		for name, a := range asked(200, `{"occurred_at":{"eq":"2026-06-30"}}`, c.zone) {
			for _, key := range strings.Fields(c.found) {
				if !strings.Contains(a.body, `"key":"`+key+`"`) {
					t.Errorf("%s in %q lacks %s", name, c.zone, key)
				}
			}
			for _, key := range strings.Fields(c.missed) {
				if strings.Contains(a.body, `"key":"`+key+`"`) {
					t.Errorf("%s in %q has %s", name, c.zone, key)
				}
			}
		}
	}
	for _, zone := range []string{"Mars/Olympus", "Local", "+2"} {
		for name, a := range asked(422, `{"key":{"ne":"x"}}`, zone) {
			if !strings.Contains(a.body, `"field":"timezone"`) || strings.Contains(a.body, "Mars") {
				t.Errorf("%s in %s: %s", name, zone, a.body)
			}
		}
		h.want(422, alice, "PUT", "/v1/stores/self/memories/noon", `{"value":"x","timezone":"`+zone+`"}`)
	}
}
