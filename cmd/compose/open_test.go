package compose_test

import (
	"errors"
	"log/slog"
	"testing"

	"go.uber.org/goleak"

	"mneme/cmd/compose"
	"mneme/configs"
)

func TestFailedOpenStopsTracing(t *testing.T) {
	before := goleak.IgnoreCurrent()
	config := configs.Default()
	config.Storage = "none"
	config.Tracing.Endpoint = "http://127.0.0.1:1/v1/traces"
	var wrong *compose.ConfigError
	if _, err := compose.OpenRows(t.Context(), config, slog.New(slog.DiscardHandler)); !errors.As(err, &wrong) {
		t.Errorf("got %v", err)
	}
	goleak.VerifyNone(t, before)
}
