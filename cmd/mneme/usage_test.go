package main

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

var update = flag.Bool("update", false, "update the golden files")

func TestHelpMatchesGolden(t *testing.T) {
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		path := strings.Fields(cmd.CommandPath())[1:]
		if len(path) > 0 && (path[0] == "help" || path[0] == "completion") {
			return
		}
		name := strings.Join(append([]string{"mneme"}, path...), "_") + ".txt"
		t.Run(name, func(t *testing.T) {
			got := must(t, "", "", append(path, "--help")...)
			golden := filepath.Join("testdata", "help", name)
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("--help differs from %s (go test -update updates it):\n%s", golden, got)
			}
		})
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(newRoot(&program{}))
}

func TestUsageErrorsExitWith2(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.yaml")
	if err := os.WriteFile(bad, []byte("storrage: sqlite\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"nonsense",
		"serve extra",
		"serve --port 5",
		"token",
		"token --agent ..",
		"import --from mem0 x",
		"import --from mem --agent a x",
		"import --from mem0 --agent a --markdown x",
		"import --from mem0 --agent a --full x",
		"import --from mem0 --agent a --dry-run x",
		"import --agent a --namespace n x",
		"import --agent a --as b x",
		"import --as .. x",
		"import . x",
		"import .",
		"import --as a --full x",
		"token --agent a --taint secret",
		"token --agent a --scope root",
		"token --agent a --ttl 1ms",
		"token --agent a --revoke b",
		"token --revoke b --api-key",
		"import",
		"import --full x --agent a",
		"import --markdown x",
		"import --markdown x --agent a file",
		"import --markdown x --agent a --store ..",
		"import --markdown x --full",
		"import --dry-run x",
		"search question",
		"search --agent a --timezone Mars/Olympus question",
		"list --agent a --timezone Local",
		"put --agent a k v --timezone +2",
		"import --agent a --timezone berlin x",
		"import --full --timezone UTC x",
		"import --full --dry-run x",
		"import --full --no-wait x",
		"export --full --timezone UTC",
		"export --agent a --timezone UTC --markdown x",
		"search --agent a",
		"search --agent a --limit 0 question",
		"search --agent a --stores ../x question",
		"search --agent a --url nonsense question",
		"search --agent a --max-charge -1 question",
		"search --agent a --max-charge 0.0000001 question",
		"search --agent a --max-charge 1e3 question",
		"search --agent a --idempotency-key k question",
		"search --agent a --offer nonsense question",
		"search --agent a --offer 01982f6e-7c1a-7d3e-9b55-2f4f6f3c8a77 --stores b question",
		"search --agent a --offer 01982f6e-7c1a-7d3e-9b55-2f4f6f3c8a77 --why-not k question",
		"offer nonsense",
		"offer create --agent a --title t --price-search 1",
		"offer create --agent a --title t --price-search 1 --price-entry 1000000.1",
		"offer create --agent a --title t --price-search 1 --price-entry 1 --max-hits 11",
		"offer create --agent a --title t --price-search 1 --price-entry 1 --grant-ttl 1ms",
		"offer create --agent a --title t --price-search 1 --price-entry 1 --max-label SECRET",
		"offer create --agent a --title t --price-search 1 --price-entry 1 --searches-per-day -1",
		"offer create --agent .. --title t --price-search 1 --price-entry 1",
		"offer show --agent a",
		"offer show --agent a nonsense",
		"offer change --agent a nonsense",
		"offer accept --agent a nonsense",
		"offer withdraw 01982f6e-7c1a-7d3e-9b55-2f4f6f3c8a77",
		"topup a 5",
		"topup --reference r a",
		"topup --reference r a 0",
		"topup --reference r .. 5",
		"payout --reference r a 1,5",
		"refund --agent a nonsense",
		"sales",
		"sales --agent a --by hour",
		"sales --agent a --from yesterday",
		"sales --agent a --csv --json",
		"usage --agent a --limit -1",
		"account",
		"export",
		"export --agent a --full",
		"export --full --markdown x",
		"export --agent a --force",
		"purge --before yesterday",
		"encrypt --store a",
		"model pack",
		"model pack --safetensors a --onnx b --tokenizer c --out d",
		"model pack --safetensors a --out d",
		"model fit",
		"model pull",
		"model pull english",
		"bench relevance", // with --data-dir, like all of these
		"bench speed",
		"bench growth",
		"search --agent a question --storage mysql",
		"search --agent a question --storage postgres",
		"search --agent a question --vector milvus",
		"search --agent a question --config " + bad,
		"search --agent a question --embedder openai",
	} {
		r := mneme(t, folderWithDatabase(t), "", strings.Fields(line)...)
		if r.status != exitUsage || r.out != "" || !strings.HasPrefix(r.err, "mneme: ") {
			t.Errorf("mneme %s: status %d\n%s%s", line, r.status, r.out, r.err)
		}
	}
}

// whyMissing returns why a path does not exist, in the system's words.
func whyMissing(t *testing.T, path string) string {
	t.Helper()
	var missing *fs.PathError
	if _, err := os.Open(path); !errors.As(err, &missing) {
		t.Fatalf("%s: %v", path, err)
	}
	return missing.Err.Error()
}

func TestFailuresExitWith1AndSayWhy(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	noFolder, noData := whyMissing(t, filepath.Join(file, "none")), "data folder"
	if runtime.GOOS == "windows" {
		noData = "no memories here" // a path below a file does not exist there
	}
	for line, why := range map[string]string{
		"export --agent a --data-dir " + file:                   noData,
		"token --agent a --data-dir " + file:                    "signing key",
		"import " + filepath.Join(file, "none"):                 noFolder,
		"token --revoke none":                                   "no API key",
		"search --agent a --url http://127.0.0.1:1 q":           "127.0.0.1:1",
		"decrypt --key-file " + file + "x --store a --key k":    "key file",
		"purge --yes --before 2999-01-01T00:00:00Z":             "retention",
		"bench relevance --data " + filepath.Join(file, "none"): noFolder,
		"serve --addr 192.0.2.1:7077":                           "192.0.2.1",
		"import --full " + file:                                 "not a mneme dump",
		"export --agent a --store other":                        "",
		"export --agent a --markdown " + file:                   noFolder,
		"import --agent a --markdown " + file:                   "not a directory",
		"search --agent a --stores other q":                     "",
		"import --agent a --store other " + filepath.Join("..", "..", "examples", "samples", "preferred-tone.md"): "refused",
	} {
		r := mneme(t, "", "", append(strings.Fields(line), dataDirUnless(t, line)...)...)
		if r.status != exitFailed || !strings.Contains(r.err, why) {
			t.Errorf("mneme %s: status %d\n%s%s", line, r.status, r.out, r.err)
		}
	}
}

// dataDirUnless returns a --data-dir flag unless the line has one.
func dataDirUnless(t *testing.T, line string) []string {
	if strings.Contains(line, "--data-dir") || strings.HasPrefix(line, "bench ") {
		return nil
	}
	return []string{"--data-dir", folderWithDatabase(t)}
}

func TestVersionPrintsTheBuild(t *testing.T) {
	if out := must(t, "", "", "version"); !strings.HasPrefix(out, "mneme ") || strings.Count(out, "\n") != 1 {
		t.Errorf("got %q", out)
	}
	if b := decode[build](t, must(t, "", "", "version", "--json")); b.Go == "" || b.Platform == "" {
		t.Errorf("got %+v", b)
	}
}

// folderWithDatabase returns a data folder with an empty database.
func folderWithDatabase(t *testing.T) string {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mneme.db"), nil, 0o600); err != nil { // SQLite accepts it as a database
		t.Fatal(err)
	}
	return dir
}
