// Command conformance runs the Model Context Protocol's conformance suite
// against a server that wants a token, and judges what it found:
//
//	MNEME_TOKEN=… conformance SUITE URL
//
// SUITE is the program of the npm package @modelcontextprotocol/conformance.
// Every scenario of it is run or stands in notApplicable with a reason, so that
// a newer suite with more of them fails until somebody has decided.
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

// revisions of the protocol for which the suite has scenarios.
var revisions = []string{"2025-06-18", "2025-11-25", "2026-07-28"}

// applicable are the scenarios that must pass, in each revision that has them.
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

// notApplicable are the scenarios that are not judged, by name or, with a
// hyphen at the end, by its beginning.
var notApplicable = map[string]string{
	"completion-complete": undeclared, "logging-set-level": undeclared, "prompts-": undeclared,
	"resources-subscribe": undeclared, "resources-unsubscribe": undeclared,
	"http-custom-header-server-validation": ownServer, "json-schema-2020-12": ownServer, "resources-read-": ownServer,
	"resources-templates-read": ownServer, "tools-call-": ownServer,
	"elicitation-": noRequests, "input-required-result-": noRequests,
	"server-session-lifecycle": noSession, "server-sse-polling": noSession,
	"sep-2640-": extension, "tasks-": extension,
}

// untestable are checks within applicable scenarios, with what they want.
var untestable = map[string]string{
	"sep-2575-http-server-no-independent-requests-on-stream": ownServer,
	"sep-2575-missing-capability-http-400":                   ownServer,
	"sep-2575-server-no-log-without-loglevel":                ownServer,
	"sep-2575-server-rejects-undeclared-capability":          ownServer,
	"server-sse-multiple-streams-session":                    noSession,
	"sep-2549-prompts-list-caching-hints":                    undeclared, // it asks without looking at what is declared
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: MNEME_TOKEN=… conformance SUITE URL")
		os.Exit(2)
	}
	if err := run(context.Background(), os.Args[1], os.Args[2], os.Getenv("MNEME_TOKEN")); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, suite, server, token string) error {
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
	for _, revision := range revisions {
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
				case c.Status == "SKIPPED", c.Status == "INFO": // not applicable, the suite itself says
				case untestable[c.ID] != "":
					skipped[c.ID] = untestable[c.ID]
				default:
					failures = append(failures, fmt.Sprintf("%s %s %s: %s", revision, name, c.ID, c.ErrorMessage))
				}
			}
		}
	}
	for _, name := range applicable {
		if !ran[name] {
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

// withToken listens in front of a server and adds the token, which the suite
// cannot send. All else goes through as it is, Host and Origin too.
func withToken(ctx context.Context, server, token string) (address string, err error) {
	target, err := url.Parse(server)
	if err != nil {
		return "", err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	quiet := log.New(io.Discard, "", 0) // a client that leaves a stream is no news
	proxy := &httputil.ReverseProxy{ErrorLog: quiet, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host
		r.Out.Header.Set("Authorization", "Bearer "+token)
	}}
	front := &http.Server{Handler: proxy, ReadHeaderTimeout: time.Minute}
	go func() { _ = front.Serve(listener) }() // which ends with the process
	return "http://" + listener.Addr().String(), nil
}

// check is one check of a scenario, as the suite writes it.
type check struct {
	ID           string `json:"id"`
	Status       string `json:"status"` // SUCCESS, FAILURE, WARNING, SKIPPED or INFO
	ErrorMessage string `json:"errorMessage"`
}

// stamped is the name of a scenario's folder: with the time at its end.
var stamped = regexp.MustCompile(`^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$`)

// scenarios runs all that the suite has for a revision. Its exit status counts
// for nothing: it fails for scenarios that are not applicable.
func scenarios(ctx context.Context, suite, address, revision, folder string) (map[string][]check, error) {
	//nolint:gosec // which program it is, is what the caller says
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
