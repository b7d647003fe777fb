package speed

import (
	"fmt"
	"testing"

	"mneme/configs"
)

func TestConfiguredServersAreMeasuredToo(t *testing.T) {
	server := configs.Default()
	server.Postgres.DSN, server.Milvus.Addr = "postgres://x", "x:1"
	rowsOnly := configs.Default()
	rowsOnly.Postgres.DSN = "postgres://x"
	for _, c := range []struct {
		config configs.Config
		want   string
	}{
		{configs.Default(), "[sqlite+flat]"},
		{rowsOnly, "[sqlite+flat postgres+flat]"},
		{server, "[sqlite+flat postgres+milvus]"},
	} {
		if got := fmt.Sprint(ConfiguredBackends(c.config)); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
