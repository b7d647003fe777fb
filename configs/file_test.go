package configs

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestErrorsNameTheirLine(t *testing.T) {
	const issuer = "auth:\n  issuers:\n    - issuer: a\n      audience: b\n      jwks: c\n      algorithm: RS256\n      "
	for name, test := range map[string]struct {
		text string
		want []string // FILE is the file's path
	}{
		"a mistyped key":            {"addr: a:1\nstorrage: sqlite\n", []string{`FILE:2: unknown key "storrage"; did you mean "storage"?`}},
		"a mistyped key below":      {"limits:\n  keys: 5\n\n  retenton: 1h\n", []string{`FILE:4: unknown key "limits.retenton"; did you mean "limits.retention"?`}},
		"a mistyped section":        {"limit:\n  keys: 5\n", []string{`FILE:2: unknown key "limit.keys"; did you mean "limits.keys"?`}},
		"a key of another section":  {"search:\n  retention: 1h\n", []string{`FILE:2: unknown key "search.retention"; did you mean "limits.retention"?`}},
		"a key like no other":       {"zzzzzzz: 1\n", []string{`FILE:1: unknown key "zzzzzzz"`}},
		"a dotted key":              {"limits.kys: 5\n", []string{`FILE:1: unknown key "limits.kys"; did you mean "limits.keys"?`}},
		"a key in a list":           {issuer + "max_tant: PUBLIC\n", []string{`FILE:7: unknown key "auth.issuers[0].max_tant"; did you mean "auth.issuers[0].max_taint"?`}},
		"a value in a list":         {issuer + "refresh: often\n", []string{`FILE:7: auth.issuers[0].refresh must be a duration with a unit`}},
		"a rule of a list":          {issuer + "refresh: 1s\n", []string{`FILE:7: auth.issuers[0].refresh must be at least 1m`}},
		"a label of a list":         {issuer + "max_taint: SECRET\n", []string{`FILE:7: auth.issuers[0].max_taint must be one of PUBLIC`}},
		"an element of a list":      {"cors:\n  origins:\n    - https://a.example\n    - b.example\n", []string{`FILE:4: cors.origins[1] must be an origin`}},
		"a number":                  {"limits:\n  keys: many\n", []string{`FILE:2: limits.keys must be a whole number`}},
		"a number that is true":     {"limits: {keys: true}\n", []string{`FILE:1: limits.keys must be a whole number`}},
		"a switch":                  {"tools:\n  kv: maybe\n", []string{`FILE:2: tools.kv must be true or false`}},
		"a duration without a unit": {"openai:\n  timeout: 30\n", []string{`FILE:2: openai.timeout must be a duration with a unit, such as 90s, 12h, 30d or 1d12h`}},
		"a section that is none":    {"limits: 5\n", []string{`FILE:1: limits must be a section`}},
		"a secret that is a list":   {"postgres:\n  dsn: [hush]\n", []string{`FILE:2: postgres.dsn must be text`}},
		"a broken rule":             {"addr: a:1\nlimits:\n  keys: 0\n", []string{`FILE:3: limits.keys must be positive`}},
		"one of several":            {"storage: mysql\n", []string{`FILE:1: storage must be one of sqlite, postgres`}},
		"all of them":               {"addr: x\nstorage: mysql\n", []string{`FILE:1: addr must be host:port`, `FILE:2: storage must be one of`}},
		"a key set twice":           {"addr: a:1\nlog: {level: warn}\naddr: b:1\n", []string{`FILE:3: addr is already set at FILE:1`}},
		"what is not YAML":          {"addr: a:1\nlog: [\n", []string{`FILE:2: not YAML: `}},
		"a list":                    {"- addr\n", []string{`FILE:1: must be keys and their values`}},
		"what is merged":            {"limits:\n  <<: {kys: 1}\n", []string{`FILE:2: unknown key "limits.kys"; did you mean "limits.keys"?`}},
		"an alias within itself":    {"limit: &limit\n  below: *limit\n", []string{`FILE:1: sections lie too deep`}},
		"a merge of itself":         {"limits: &limits\n  <<: *limits\n", []string{`FILE:1: sections lie too deep`}},
		"a section's rule":          {"log: {level: warn}\ntls: {cert: a}\n", []string{`FILE:2: tls requires both`}},
	} {
		t.Run(name, func(t *testing.T) {
			clean(t)
			path := file(t, test.text)
			_, err := Load(path, noFlags())
			if err == nil {
				t.Fatal("no error")
			}
			got := strings.ReplaceAll(err.Error(), path, "FILE")
			if strings.Contains(got, "hush") {
				t.Errorf("a value is shown: %s", got)
			}
			lines := strings.Split(got, "\n")
			slices.Sort(lines)
			if len(lines) != len(test.want) {
				t.Fatalf("got %q", lines)
			}
			for i, want := range test.want {
				if !strings.HasPrefix(lines[i], want) {
					t.Errorf("got %q, want %q", lines[i], want)
				}
			}
		})
	}
}

func TestErrorsNameVariablesAndFlags(t *testing.T) {
	clean(t)
	t.Setenv("MNEME_LIMITS_KEYS", "many")
	t.Setenv("MNEME_LIMITS_RETENTION", "7")
	path := file(t, "addr: a:1\n")
	_, err := Load(path, noFlags())
	if err == nil || err.Error() != "MNEME_LIMITS_KEYS: limits.keys must be a whole number\n"+
		"MNEME_LIMITS_RETENTION: limits.retention must be a duration with a unit, such as 90s, 12h, 30d or 1d12h" {
		t.Error(err)
	}
	clean(t)
	t.Setenv("MNEME_LIMITS_KEYS", "0")
	flags := noFlags()
	flags.String("addr", "", "")
	if err := flags.Parse([]string{"--addr", "x"}); err != nil {
		t.Fatal(err)
	}
	_, err = Load(file(t, "addr: a:1\nlimits: {keys: 4}\n"), flags)
	if err == nil || err.Error() != "--addr: addr must be host:port, or unix: and a path\nMNEME_LIMITS_KEYS: limits.keys must be positive" {
		t.Error(err)
	}
}

func TestAliasesAndMergedSectionsAreRead(t *testing.T) {
	clean(t)
	c, err := Load(file(t, "postgres: &same\n  partitions: 4\nlimits:\n  <<: {keys: 7, bytes: 8}\n  keys: 9\n"), noFlags())
	if err != nil || c.Postgres.Partitions != 4 || c.Limits.Keys != 9 || c.Limits.Bytes != 8 {
		t.Errorf("%+v, %v", c.Limits, err)
	}
}

// A duration may be in days wherever one can be set.
func TestEveryDurationMayHaveDays(t *testing.T) {
	const text, want = "1d12h", 36 * time.Hour
	types := typesOf(reflect.TypeFor[Config](), "")
	found := 0
	for key, typ := range types {
		if typ != reflect.TypeFor[time.Duration]() {
			continue
		}
		found++
		section, name, _ := strings.Cut(key, ".")
		for from, set := range map[string]func() string{
			"variable": func() string { t.Setenv(variable(key), text); return "" },
			"file":     func() string { return file(t, fmt.Sprintf("%s: {%s: %s}\n", section, name, text)) },
		} {
			clean(t)
			c, err := Load(set(), noFlags())
			if err != nil || flatten(reflect.ValueOf(c), "")[key] != want {
				t.Errorf("%s in a %s: %v, %v", key, from, flatten(reflect.ValueOf(c), "")[key], err)
			}
		}
	}
	if found < 9 {
		t.Errorf("%d durations", found)
	}
	clean(t)
	c, err := Load(file(t, "auth:\n  issuers:\n    - {issuer: a, audience: b, jwks: c, algorithm: RS256, refresh: 1d12h, refresh_unknown: 1d12h}\n"), noFlags())
	if err != nil || c.Auth.Issuers[0].Refresh != want || c.Auth.Issuers[0].RefreshUnknown != want {
		t.Errorf("issuers: %+v, %v", c.Auth.Issuers, err)
	}
}

func TestAFileOfAnotherFormatIsChecked(t *testing.T) {
	clean(t)
	path := filepath.Join(t.TempDir(), "mneme.json")
	write(t, path, `{"storrage": "sqlite"}`)
	if _, err := Load(path, noFlags()); err == nil || !strings.Contains(err.Error(), "storrage") {
		t.Error(err)
	}
	write(t, path, `{"limits": {"keys": 5}}`)
	if c, err := Load(path, noFlags()); err != nil || c.Limits.Keys != 5 {
		t.Error(err)
	}
}

// Any file is loaded, or is an error with a position.
func FuzzCheckFile(f *testing.F) {
	for _, text := range []string{"addr: a:1\n", "limits: &a {<<: *a}\n", "auth: {issuers: [{issuer: a}, 5]}\n", "? [a]\n: b\n", "limits.keys: 1\nlimits: {keys: 2}\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "mneme.yaml")
		write(t, path, text)
		if _, err := checkFile(path); err != nil && !strings.HasPrefix(err.Error(), path) {
			t.Error(err)
		}
	})
}
