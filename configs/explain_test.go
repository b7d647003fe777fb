package configs

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestEverySettingHasItsSourceAndHidesSecrets(t *testing.T) {
	clean(t)
	path := file(t, "addr: 127.0.0.1:1\nlimits:\n  keys: 5\n  retention: 1h\nopenai:\n  base_url: http://u:hush@h/v1\n")
	t.Setenv("MNEME_LIMITS_KEYS", "6")
	t.Setenv("MNEME_POSTGRES_DSN", "postgres://u:hush@h/d")
	flags := noFlags()
	flags.String("addr", "", "")
	flags.String("storage", "sqlite", "")
	if err := flags.Parse([]string{"--addr", "127.0.0.1:3"}); err != nil {
		t.Fatal(err)
	}
	config, err := Load(path, flags)
	if err != nil {
		t.Fatal(err)
	}
	settings, err := Explain(config, path, flags)
	if err != nil {
		t.Fatal(err)
	}
	if shown := fmt.Sprint(settings); strings.Contains(shown, "hush") {
		t.Errorf("a secret is shown: %s", shown)
	}
	if want := len(flatten(reflect.ValueOf(Default()), "")); len(settings) != want {
		t.Errorf("%d settings of %d", len(settings), want)
	}
	got := make(map[string]string)
	for _, s := range settings {
		got[s.Key] = s.Text() + " " + s.Source
	}
	for key, want := range map[string]string{
		"addr":             "127.0.0.1:3 flag --addr",
		"limits.keys":      "6 variable MNEME_LIMITS_KEYS",
		"limits.retention": "1h0m0s file " + path,
		"limits.grants":    "10000 default",
		"storage":          "sqlite default",
		"postgres.dsn":     "[hidden] variable MNEME_POSTGRES_DSN",
		"openai.base_url":  "http://u:xxxxx@h/v1 file " + path,
		"auth.issuers":     "[] default",
		"e5.codes":         "true default",
	} {
		if got[key] != want {
			t.Errorf("%s: got %q, want %q", key, got[key], want)
		}
	}
}
