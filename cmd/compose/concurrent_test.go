package compose_test

import (
	"log/slog"
	"runtime"
	"testing"

	"mneme/cmd/compose"
	"mneme/configs"
)

// Searches that wait for a server leave the processors idle: more of them run at a time.
func TestTheNumberOfConcurrentSearchesFollowsFromWhatTheyWaitFor(t *testing.T) {
	local := 2 * runtime.GOMAXPROCS(0)
	for name, c := range map[string]struct {
		set  func(*configs.Config)
		want int
	}{
		"nothing is set":    {func(*configs.Config) {}, local},
		"a number":          {func(c *configs.Config) { c.Search.Running = 3 }, 3},
		"PostgreSQL":        {func(c *configs.Config) { c.Storage = "postgres" }, 64},
		"Milvus":            {func(c *configs.Config) { c.Vector = "milvus" }, 64},
		"a remote embedder": {func(c *configs.Config) { c.Embedder = "openai" }, 64},
		"a reranker":        {func(c *configs.Config) { c.Rerank.URL = "http://127.0.0.1/rerank" }, 64},
	} {
		config := configs.Default()
		c.set(&config)
		limits := compose.SearchOptions(config, slog.New(slog.DiscardHandler), nil).Searches
		if limits.Running != c.want || limits.RunningEach < 1 || limits.RunningEach > 8 || limits.Running > 1 && limits.RunningEach > limits.Running/2 {
			t.Errorf("%s: %+v, want %d running", name, limits, c.want)
		}
	}
}
