package configs

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
)

// clean unsets all MNEME_* variables for the test.
func clean(t *testing.T) {
	t.Helper()
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, envPrefix) {
			t.Setenv(name, "")
			if err := os.Unsetenv(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Setenv("XDG_DATA_HOME", t.TempDir())
}

func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mneme.yaml")
	write(t, path, text)
	return path
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func noFlags() *pflag.FlagSet { return pflag.NewFlagSet("test", pflag.ContinueOnError) }

func TestExampleShowsEveryKeyWithItsDefault(t *testing.T) {
	clean(t)
	want, err := Load("", noFlags())
	if err != nil {
		t.Fatal(err)
	}
	got, err := Load("example.yaml", noFlags())
	if err != nil {
		t.Fatal(err)
	}
	got.Auth.Issuers = nil // [] in the file
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the example has %+v, the defaults are %+v", got, want)
	}
	text, err := os.ReadFile("example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for key := range flatten(reflect.ValueOf(Default()), "") {
		last := key[strings.LastIndex(key, ".")+1:]
		if !strings.Contains(string(text), last+":") {
			t.Errorf("the example lacks %s", key)
		}
	}
}

func TestFlagOverridesVariableOverridesFileOverridesDefault(t *testing.T) {
	clean(t)
	path := file(t, "addr: 127.0.0.1:1\nlimits:\n  keys: 5\n  retention: 1h\n")
	t.Setenv("MNEME_ADDR", "127.0.0.1:2")
	t.Setenv("MNEME_LIMITS_KEYS", "6")
	t.Setenv("MNEME_POSTGRES_DSN", "postgres://u:hush@h/d")
	flags := noFlags()
	flags.String("addr", "", "")
	flags.String("data-dir", "", "")
	if err := flags.Parse([]string{"--addr", "127.0.0.1:3"}); err != nil {
		t.Fatal(err)
	}
	c, err := Load(path, flags)
	if err != nil {
		t.Fatal(err)
	}
	if c.Addr != "127.0.0.1:3" || c.Limits.Keys != 6 || c.Limits.Retention != time.Hour || c.Storage != "sqlite" {
		t.Errorf("got %+v", c)
	}
	if !strings.HasSuffix(c.DataDir, "mneme") {
		t.Errorf("a flag that was not set overrides the default directory: %q", c.DataDir)
	}
	if c.Postgres.DSN != "postgres://u:hush@h/d" {
		t.Error("MNEME_POSTGRES_DSN is not read")
	}
	if shown := fmt.Sprintf("%v %+v %#v %s", c, c, c, c.Postgres.DSN); strings.Contains(shown, "hush") {
		t.Error("a secret is printed")
	}
}

func TestInvalidConfigurationIsAnError(t *testing.T) {
	for name, text := range map[string]string{
		"unknown key":              "storrage: sqlite\n",
		"unknown nested key":       "limits:\n  key: 5\n",
		"unknown key in a list":    "auth:\n  issuers:\n    - issuer: a\n      audience: b\n      jwks: c\n      algorithm: RS256\n      taint: PUBLIC\n",
		"incomplete issuer":        "auth:\n  issuers:\n    - issuer: a\n",
		"unknown backend":          "storage: mysql\n",
		"duration without a unit":  "openai:\n  timeout: 30\n",
		"word for a number":        "limits:\n  keys: many\n",
		"limit of zero":            "limits:\n  keys: 0\n",
		"address without a port":   "addr: localhost\n",
		"duplicate key":            "addr: a:1\naddr: b:1\n",
		"openai without its model": "embedder: openai\n",
		"not YAML":                 "addr: [\n",
		"socket without a path":    "addr: 'unix:'\n",
		"socket with TLS":          "addr: unix:/s\ntls: {cert: a, key: b}\n",
		"socket for nobody":        "socket_access: 0660\n",
		"certificate without key":  "tls: {cert: a}\n",
		"key without certificate":  "tls: {key: a}\n",
		"any origin beside one":    "cors: {origins: ['*', 'https://a.example']}\n",
		"any origin with cookies":  "cors: {origins: ['*'], credentials: true}\n",
		"pattern of origins":       "cors: {origins: ['https://*.a.example']}\n",
		"origin with a path":       "cors: {origins: ['https://a.example/']}\n",
		"origin without a scheme":  "cors: {origins: [a.example]}\n",
		"origin of a sandbox":      "cors: {origins: ['null']}\n",
		"origin with a user":       "cors: {origins: ['https://u@a.example']}\n",
		"negative max_age":         "cors: {max_age: -1s}\n",
		"public_url of no scheme":  "public_url: memory.example.com\n",
		"public_url of a port":     "public_url: localhost:7077\n",
		"public_url of no host":    "public_url: 'https:///mneme'\n",
		"public_url of a file":     "public_url: 'file:///srv'\n",
		"public_url with a query":  "public_url: 'https://a.example/?a=b'\n",
		"public_url with a mark":   "public_url: 'https://a.example/?'\n",
		"public_url with fragment": "public_url: 'https://a.example/#'\n",
		"public_url with a user":   "public_url: 'https://u:p@a.example'\n",
		"public_url with dots":     "public_url: 'https://a.example/a/../b'\n",
		"public_url with a space":  "public_url: 'https://a.example/a b'\n",
		"public_url of bad port":   "public_url: 'https://a.example:port'\n",
	} {
		t.Run(name, func(t *testing.T) {
			clean(t)
			if c, err := Load(file(t, text), noFlags()); err == nil {
				t.Errorf("no error, got %+v", c)
			}
		})
	}
	t.Run("missing file", func(t *testing.T) {
		clean(t)
		if _, err := Load(filepath.Join(t.TempDir(), "none.yaml"), noFlags()); err == nil {
			t.Error("no error")
		}
	})
}

func TestThePathOfThePublicURL(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "https://a.example": "", "https://a.example/": "", "http://127.0.0.1:7077/mneme": "/mneme", "https://[::1]/team/mneme/": "/team/mneme",
	} {
		clean(t)
		t.Setenv("MNEME_PUBLIC_URL", text)
		c, err := Load("", noFlags())
		if err != nil || c.BasePath() != want {
			t.Errorf("%q: %q, %v", text, c.BasePath(), err)
		}
	}
}

// A refused URL may contain a password.
func TestARefusedPublicURLIsNotShown(t *testing.T) {
	clean(t)
	t.Setenv("MNEME_PUBLIC_URL", "https://me:hunter2@a.example")
	if _, err := Load("", noFlags()); err == nil || !strings.Contains(err.Error(), "public_url must be an address") || strings.Contains(err.Error(), "hunter2") {
		t.Error(err)
	}
}

func TestListeningAddresses(t *testing.T) {
	clean(t)
	t.Setenv("MNEME_CORS_ORIGINS", "https://a.example,http://localhost:5173")
	c, err := Load(file(t, "addr: unix:/run/m.sock\nsocket_access: group\n"), noFlags())
	if err != nil {
		t.Fatal(err)
	}
	if path, ok := c.Socket(); !ok || path != "/run/m.sock" || c.SocketMode() != 0o660 || len(c.CORS.Origins) != 2 {
		t.Errorf("got %q, %v, %o, %q", path, ok, c.SocketMode(), c.CORS.Origins)
	}
	if c := Default(); c.SocketMode() != 0o600 || len(c.CORS.Origins) != 0 || c.TLS.Cert != "" {
		t.Errorf("the default is %+v", c)
	}
}

func TestMisspelledVariablesAreReported(t *testing.T) {
	clean(t)
	t.Setenv("MNEME_STORRAGE", "sqlite")
	t.Setenv("MNEME_STORAGE", "sqlite")
	t.Setenv("MNEME_TOKEN", "x")
	t.Setenv("MNEME_PORT", "tcp://10.0.0.1:7077") // as Kubernetes sets it
	if got := UnknownVariables("MNEME_TOKEN"); !reflect.DeepEqual(got, []UnknownVariable{{Name: "MNEME_PORT"}, {Name: "MNEME_STORRAGE", Nearest: []string{"MNEME_STORAGE"}}}) {
		t.Errorf("got %+v", got)
	}
}
