// Command conformance runs the Model Context Protocol's conformance suite
// against a server that requires a token, and evaluates the results:
//
//	MNEME_TOKEN=… conformance SUITE URL [REVISION…]
//
// SUITE is the program of the npm package @modelcontextprotocol/conformance. Older
// versions lack some revisions and scenarios: name the revisions for them. Every scenario
// must be run or be listed in notApplicable with a reason, so that new scenarios of a
// newer suite fail until somebody has decided about them.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// revisions are the protocol revisions for which the suite has scenarios.
var revisions = []string{"2025-06-18", "2025-11-25", "2026-07-28"}

// applicable lists the scenarios that must pass, in each revision that has them.
var applicable = []string{
	"caching", "dns-rebinding-protection", "http-header-validation", "ping", "resources-list", "sep-2164-resource-not-found",
	"server-initialize", "server-sse-multiple-streams", "server-stateless", "tools-list",
}

const (
	undeclared = "the server does not declare this capability"
	ownServer  = "it wants a tool, resource or prompt of the suite's own test server"
	noSession  = "the server keeps no sessions"
	noRequests = "the server asks nothing of its clients"
	extension  = "an extension that the server does not offer"
)

// notApplicable lists the scenarios that are not evaluated, by name or, with a
// trailing hyphen, by prefix.
var notApplicable = map[string]string{
	"completion-complete": undeclared, "logging-set-level": undeclared, "prompts-": undeclared,
	"resources-subscribe": undeclared, "resources-unsubscribe": undeclared,
	"http-custom-header-server-validation": ownServer, "json-schema-2020-12": ownServer, "resources-read-": ownServer,
	"resources-templates-read": ownServer, "tools-call-": ownServer,
	"elicitation-": noRequests, "input-required-result-": noRequests,
	"server-session-lifecycle": noSession, "server-sse-polling": noSession,
	"sep-2640-": extension, "tasks-": extension,
}

// untestable lists checks within applicable scenarios that cannot pass, with
// their requirements.
var untestable = map[string]string{
	"sep-2575-http-server-no-independent-requests-on-stream": ownServer,
	"sep-2575-missing-capability-http-400":                   ownServer,
	"sep-2575-server-no-log-without-loglevel":                ownServer,
	"sep-2575-server-rejects-undeclared-capability":          ownServer,
	"server-sse-multiple-streams-session":                    noSession,
	"sep-2549-prompts-list-caching-hints":                    undeclared, // the suite ignores the declared capabilities
}

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: MNEME_TOKEN=… conformance SUITE URL [REVISION…]")
		os.Exit(2)
	}
	if err := run(context.Background(), os.Args[1], os.Args[2], os.Getenv("MNEME_TOKEN"), os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, suite, server, token string, named []string) error {
	address, err := withToken(ctx, server, token)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "conformance")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	var failures []string
	ran, passed, skipped := make(map[string]bool), 0, make(map[string]string)
	all := len(named) == 0
	if all {
		named = revisions
	}
	for _, revision := range named {
		results, err := scenarios(ctx, suite, address+"/mcp", revision, filepath.Join(work, revision))
		if err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(results)) {
			if !slices.Contains(applicable, name) {
				if skipped[name] = reason(name); skipped[name] == "" {
					failures = append(failures, name+": neither applicable nor not: decide")
				}
				continue
			}
			ran[name] = true
			for _, c := range results[name] {
				switch {
				case c.Status == "SUCCESS":
					passed++
				case c.Status == "SKIPPED", c.Status == "INFO": // not applicable according to the suite
				case untestable[c.ID] != "":
					skipped[c.ID] = untestable[c.ID]
				default:
					failures = append(failures, fmt.Sprintf("%s %s %s: %s", revision, name, c.ID, c.ErrorMessage))
				}
			}
		}
	}
	for _, name := range applicable {
		if all && !ran[name] {
			failures = append(failures, name+": the suite has no such scenario")
		}
	}
	fmt.Printf("%d checks of %d scenarios hold\nnot applicable:\n", passed, len(ran))
	names := make(map[string][]string)
	for _, name := range slices.Sorted(maps.Keys(skipped)) {
		names[skipped[name]] = append(names[skipped[name]], name)
	}
	for _, why := range slices.Sorted(maps.Keys(names)) {
		fmt.Printf("- %s: %s\n", why, strings.Join(names[why], ", "))
	}
	if len(failures) > 0 {
		return errors.New("\n" + strings.Join(failures, "\n"))
	}
	return nil
}

func reason(scenario string) string {
	for name, why := range notApplicable {
		if scenario == name || strings.HasSuffix(name, "-") && strings.HasPrefix(scenario, name) {
			return why
		}
	}
	return ""
}

// withToken starts a reverse proxy that adds the token, which the suite cannot
// send. Everything else is forwarded unchanged, including Host and Origin.
func withToken(ctx context.Context, server, token string) (address string, err error) {
	target, err := url.Parse(server)
	if err != nil {
		return "", err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	quiet := log.New(io.Discard, "", 0) // clients that close streams are not worth logging
	// The suite abandons requests. The connection of an abandoned request may
	// already serve the next one when it is closed, so none is reused.
	transport := &http.Transport{DisableKeepAlives: true}
	proxy := &httputil.ReverseProxy{ErrorLog: quiet, Transport: transport, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host
		r.Out.Header.Set("Authorization", "Bearer "+token)
	}}
	front := &http.Server{Handler: proxy, ReadHeaderTimeout: time.Minute}
	go func() { _ = front.Serve(listener) }() // until the process ends
	return "http://" + listener.Addr().String(), nil
}

// check is one check of a scenario, in the suite's format.
type check struct {
	ID           string `json:"id"`
	Status       string `json:"status"` // SUCCESS, FAILURE, WARNING, SKIPPED or INFO
	ErrorMessage string `json:"errorMessage"`
}

// stamped matches the name of a scenario's folder, which ends with a timestamp.
var stamped = regexp.MustCompile(`^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$`)

// scenarios runs all scenarios of a revision. The suite's exit status is ignored:
// it also fails for scenarios that are not applicable.
func scenarios(ctx context.Context, suite, address, revision, folder string) (map[string][]check, error) {
	//nolint:gosec // the caller names the program
	said, err := exec.CommandContext(ctx, suite, "server", "--url", address, "--suite", "all", "--spec-version", revision, "-o", folder).CombinedOutput()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(folder, "*", "checks.json"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("the suite left no results for %s:\n%s", revision, said)
	}
	all := make(map[string][]check)
	for _, file := range files {
		name := stamped.FindStringSubmatch(filepath.Base(filepath.Dir(file)))
		text, err := os.ReadFile(file)
		if err != nil || name == nil {
			return nil, fmt.Errorf("%s: %w", file, errors.Join(err, errors.New("no result of a scenario")))
		}
		var checks []check
		if err := json.Unmarshal(text, &checks); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all[name[1]] = checks
	}
	return all, nil
}
