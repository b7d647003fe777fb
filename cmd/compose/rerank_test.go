package compose_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"mneme/acl"
	"mneme/cmd/compose"
	"mneme/configs"
	"mneme/memory"
	"mneme/search"
	"mneme/test/wait"
)

// standIn is a fake reranking service that answers in every shape. It scores the text with
// the word granite highest, and of the others the shortest.
func standIn(t *testing.T) *httptest.Server {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Documents, Texts []string }
		body, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(body, &asked); err != nil || r.Header.Get("Authorization") != "Bearer secret-rerank-key" {
			http.Error(w, "secret: "+string(body), http.StatusUnauthorized)
			return
		}
		items := []map[string]any{}
		for i, text := range slices.Concat(asked.Documents, asked.Texts) {
			score := 1 / float64(2+len(text))
			if strings.Contains(text, "granite") {
				score = 0.999
			}
			items = append(items, map[string]any{"index": i, "score": score, "relevance_score": score})
		}
		if asked.Texts != nil {
			_ = json.NewEncoder(w).Encode(items)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"results": items})
	}))
	t.Cleanup(service.Close)
	return service
}

func TestTheConfiguredRerankerOrdersTheHits(t *testing.T) {
	service := standIn(t)
	for name, c := range map[string]struct {
		path, key string
		degraded  bool
	}{
		"cohere": {"/v2/rerank", "secret-rerank-key", false}, "jina": {"/v1/rerank", "secret-rerank-key", false}, "tei": {"/rerank", "secret-rerank-key", false},
		"another key": {"/v1/rerank", "secret-other-key", true},
	} {
		t.Run(name, func(t *testing.T) {
			config := configs.Default()
			config.DataDir = t.TempDir()
			config.Rerank.URL, config.Rerank.Model, config.Rerank.Key = service.URL+c.path, "m", configs.Secret(c.key)
			config.Rerank.Timeout = wait.Limit
			var log bytes.Buffer
			instance, err := compose.OpenRows(t.Context(), config, slog.New(slog.NewJSONHandler(&log, nil)))
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := instance.Close(); err != nil {
					t.Error(err)
				}
			}()
			a := memory.Caller{Principal: acl.Principal{Agent: "a", Taint: acl.Public}}
			for key, value := range map[string]string{"one": "secret wall wall wall", "two": "secret wall", "three": "a secret about a wall of granite, and its weather"} {
				if _, err := instance.Put(t.Context(), a, memory.PutRequest{Path: memory.Path{Store: "a", Key: key}, Value: json.RawMessage(fmt.Sprintf("%q", value))}); err != nil {
					t.Fatal(err)
				}
			}
			answer, err := instance.Search(t.Context(), a, search.Request{Query: "secret wall", Limit: 10})
			if err != nil {
				t.Fatal(err)
			}
			if got := slices.Contains(answer.Degraded, search.StepRerank); got != c.degraded {
				t.Errorf("degraded %v", answer.Degraded)
			}
			if first := answer.Hits[0].Key; (first == "three") == c.degraded {
				t.Errorf("first %s", first)
			}
			if strings.Contains(log.String(), "secret") || c.degraded != strings.Contains(log.String(), "reranking failed") {
				t.Errorf("logged %s", log.String())
			}
		})
	}
}

func TestAnInvalidRerankerIsAConfigurationError(t *testing.T) {
	for _, change := range []func(*configs.Rerank){
		func(c *configs.Rerank) { c.URL = "http://host/v1" },
		func(c *configs.Rerank) { c.URL = "http://host/v1/rerank" },
		func(c *configs.Rerank) { c.URL, c.Key = "http://host/rerank", "secret\n" },
		func(c *configs.Rerank) { c.URL = "http://me:secret@host/rerank" },
	} {
		config := configs.Default()
		config.DataDir = t.TempDir()
		change(&config.Rerank)
		_, err := compose.OpenRows(t.Context(), config, slog.New(slog.DiscardHandler))
		var broken *compose.ConfigError
		if !errors.As(err, &broken) || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "reranker") {
			t.Errorf("got %v", err)
		}
	}
}
