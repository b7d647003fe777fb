package deploy_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	milvus "github.com/milvus-io/milvus-sdk-go/v2/client"

	"mneme/test/wait"
)

// administrator connects as the user that may create roles.
func administrator(t *testing.T) *pgx.Conn {
	t.Helper()
	db, err := pgx.Connect(t.Context(), server(t, "MNEME_POSTGRES_DSN"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close(context.Background()) }) // the test's own context has ended
	return db
}

const password = `it's "quoted" \ and $strange%` // must not need escaping anywhere

// role runs postgres-role.sh with a unique name. It returns the DSN of compose,
// rewritten for the tests' server.
func role(t *testing.T) (name, dsn string) {
	t.Helper()
	db := administrator(t)
	psql, err := exec.LookPath("psql")
	if err != nil {
		missing(t, "psql is not installed")
	}
	at, err := url.Parse(os.Getenv("MNEME_POSTGRES_DSN"))
	if err != nil {
		t.Fatal(err)
	}
	name = fmt.Sprintf("mneme_deploy_%d_%d", os.Getpid(), time.Now().UnixMilli())
	script := exec.CommandContext(t.Context(), "./postgres-role.sh")
	script.Env = append(os.Environ(), "PATH="+filepath.Dir(psql)+":"+os.Getenv("PATH"),
		"PGHOST="+at.Hostname(), "PGPORT="+at.Port(), "POSTGRES_USER="+at.User.Username(),
		"MNEME_DB_NAME="+name, "MNEME_DB_PASSWORD="+password)
	if given, ok := at.User.Password(); ok {
		script.Env = append(script.Env, "PGPASSWORD="+given)
	}
	out, err := script.CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Fatalf("the script: %v: %s", err, out)
	}
	t.Cleanup(func() {
		for _, command := range []string{"DROP DATABASE " + name + " WITH (FORCE)", "DROP ROLE " + name} {
			if _, err := db.Exec(context.Background(), command); err != nil {
				t.Error(err)
			}
		}
	})
	return name, strings.NewReplacer("mneme@postgres/mneme", name+"@"+at.Host+"/"+name).Replace(compose(t).Services["mneme"].Environment["MNEME_POSTGRES_DSN"])
}

func TestRowLevelSecurityAppliesToTheRole(t *testing.T) {
	name, dsn := role(t)
	db := administrator(t)
	var privileged, scram bool
	err := db.QueryRow(t.Context(), `SELECT rolsuper OR rolbypassrls OR rolcreatedb OR rolcreaterole OR rolreplication,
		rolpassword LIKE 'SCRAM-SHA-256$%' FROM pg_authid WHERE rolname = $1`, name).Scan(&privileged, &scram)
	if err != nil || privileged || !scram {
		t.Errorf("has privileges: %v; hashed password: %v; error %v", privileged, scram, err)
	}
	var owner, encoding, collate string
	err = db.QueryRow(t.Context(), `SELECT pg_get_userbyid(datdba), pg_encoding_to_char(encoding), datcollate
		FROM pg_database WHERE datname = $1`, name).Scan(&owner, &encoding, &collate)
	if err != nil || owner != name || encoding != "UTF8" || collate != "C.UTF-8" {
		t.Errorf("the database is %s's, %s, %s: %v", owner, encoding, collate, err)
	}
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	config.Password = password
	own, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close(t.Context())
	if _, err := own.Exec(t.Context(), "ALTER ROLE "+name+" BYPASSRLS"); err == nil {
		t.Error("the role can grant itself BYPASSRLS")
	}
}

// withDefault matches a value of compose that a variable replaces; its group is the
// default.
var withDefault = regexp.MustCompile(`^\$\{[A-Z_]+:-(.*)\}$`)

// The first steps of docs/operating/start.md, in a process with the command and
// environment of compose.
func TestTheFirstStepsWorkInTheEnvironmentOfCompose(t *testing.T) {
	name, dsn := role(t)
	addr := server(t, "MNEME_MILVUS_ADDR")
	mneme := filepath.Join(t.TempDir(), "mneme")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", mneme, "../cmd/mneme").CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	environment := []string{"MNEME_DATA_DIR=" + t.TempDir(), "MNEME_ADDR=127.0.0.1:0", "MNEME_MILVUS_PREFIX=" + name,
		"MNEME_SEARCH_VECTOR_BUDGET=4m"} // the machine may be busy
	for variable, value := range compose(t).Services["mneme"].Environment {
		switch variable {
		case "MNEME_POSTGRES_DSN":
			value = dsn
		case "PGPASSWORD":
			value = password
		case "MNEME_MILVUS_ADDR":
			value = addr
		}
		if given := withDefault.FindStringSubmatch(value); given != nil {
			value = given[1]
		}
		environment = append(environment, variable+"="+value)
	}
	t.Cleanup(func() { dropCollections(t, addr, name) })
	// inContainer runs a command like docker compose exec mneme /mneme ….
	inContainer := func(args ...string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), mneme, args...)
		command.Env = environment
		var problem bytes.Buffer
		command.Stderr = &problem
		out, err := command.Output()
		if err != nil {
			t.Fatalf("mneme %v: %v: %s", args, err, &problem)
		}
		return strings.TrimSpace(string(out))
	}
	var log bytes.Buffer
	serve := exec.CommandContext(t.Context(), mneme, "serve", "--json")
	serve.Env, serve.Stderr = environment, &log
	out, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	var greeting struct{ Address string }
	if err := json.NewDecoder(bufio.NewReader(out)).Decode(&greeting); err != nil {
		_ = serve.Wait()
		t.Fatalf("the server did not start: %s", &log)
	}
	inContainer("ready", "--url", greeting.Address, "--timeout", wait.Limit.String())
	token := inContainer("token", "--agent", "a")
	// While the collection opens, nothing is indexed and searches are degraded; on a busy
	// machine, a single call does not wait long enough.
	want := http.StatusCreated
	wait.Until(t, "a memory is indexed", func() error {
		status, body := call(t, token, http.MethodPut, greeting.Address+"/v1/stores/self/memories/tea?wait=indexed",
			`{"value": "I like my tea green, and never after five."}`)
		if status != want {
			t.Fatalf("%d %s", status, body)
		}
		want = http.StatusOK
		if !strings.Contains(body, `"indexed":true`) {
			return errors.New(body)
		}
		return nil
	})
	wait.Until(t, "a search finds it with both legs", func() error {
		status, body := call(t, token, http.MethodPost, greeting.Address+"/v1/search", `{"query": "what do I drink in the afternoon?"}`)
		if status != http.StatusOK || !strings.Contains(body, `"degraded":[]`) || !strings.Contains(body, `"tea"`) {
			return fmt.Errorf("%d %s", status, body)
		}
		return nil
	})
	if report := inContainer("reconcile"); !strings.Contains(report, "removed 0, restored 0") {
		t.Error(report)
	}
	if err := serve.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := serve.Wait(); err != nil {
		t.Errorf("exit: %v", err)
	}
	for line := range strings.Lines(log.String()) {
		// There must be no warning about a role without row-level security or unknown
		// variables.
		if strings.Contains(line, `"level":"ERROR"`) || strings.Contains(line, "row-level") || strings.Contains(line, "variables") || !strings.HasPrefix(line, "{") {
			t.Errorf("the log says %s", line)
		}
	}
}

func call(t *testing.T, token, method, address, body string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var answer bytes.Buffer
	if _, err := answer.ReadFrom(response.Body); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, answer.String()
}

func dropCollections(t *testing.T, addr, prefix string) {
	ctx := context.Background()
	client, err := milvus.NewClient(ctx, milvus.Config{Address: addr})
	if err != nil {
		t.Error(err)
		return
	}
	defer client.Close()
	collections, err := client.ListCollections(ctx)
	if err != nil {
		t.Error(err)
	}
	for _, c := range collections {
		if strings.HasPrefix(c.Name, prefix) {
			if err := client.DropCollection(ctx, c.Name); err != nil {
				t.Error(err)
			}
		}
	}
}
