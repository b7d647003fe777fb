package goclient_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Another module needs only the client and its dependencies. Here that module is the
// client's example program.
func TestOtherModulesImportTheClient(t *testing.T) {
	client, err := filepath.Abs("../../clients/go")
	if err != nil {
		t.Fatal(err)
	}
	module := t.TempDir()
	for from, to := range map[string]string{"example/main.go": "main.go", "go.mod": "go.mod", "go.sum": "go.sum"} {
		content, err := os.ReadFile(filepath.Join(client, from))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(module, to), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	handler, bearer := start(t)
	environ := append(os.Environ(), "MNEME_URL="+listen(t, handler), "MNEME_TOKEN="+bearer)
	run := func(arguments ...string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), "go", arguments...)
		command.Dir, command.Env = module, environ
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v: %s", strings.Join(arguments, " "), err, out)
		}
		return string(out)
	}
	path := strings.TrimSpace(run("list", "-m"))
	run("mod", "edit", "-module=example.com/agent", "-require="+path+"@v0.0.0", "-replace="+path+"="+client)
	if got, want := run("run", "."), `seat/anna "Anna prefers the window seat on trains."`+"\n"; got != want {
		t.Errorf("the example printed %q, want %q", got, want)
	}
}
