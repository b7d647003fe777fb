package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mneme/acl"
	"mneme/internal/system"
	"mneme/server/token"
	"mneme/test/wait"
)

// verify returns the principal of a credential on a server with this data folder.
func verify(t *testing.T, dir, credential string) (acl.Principal, error) {
	t.Helper()
	local, err := token.OpenLocalKey(dir)
	if err != nil {
		t.Fatal(err)
	}
	apiKeys, err := token.OpenAPIKeys(dir)
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := token.NewVerifier(t.Context(), token.Options{Local: local, APIKeys: apiKeys})
	if err != nil {
		t.Fatal(err)
	}
	return verifier.Verify(t.Context(), credential)
}

func TestTokenIsTheOnlyOutput(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	r := mneme(t, dir, "", "token", "--agent", "iris", "--taint", "INTERNAL", "--chat", "c", "--user", "u", "--scope", "share platform")
	if r.status != exitDone || r.err != "" || strings.Count(r.out, "\n") != 1 {
		t.Fatalf("got %+v", r)
	}
	got, err := verify(t, dir, strings.TrimSpace(r.out))
	want := acl.Principal{Agent: "iris", Taint: acl.Internal, Chat: "c", User: "u", Platform: true, Share: true}
	if err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		f, err := system.Open(filepath.Join(dir, entry.Name()))
		if err == nil {
			err = errors.Join(system.CheckPrivate(f), f.Close())
		}
		if err != nil {
			t.Errorf("%s: %v", entry.Name(), err)
		}
	}
}

func TestAPIKeyIsValidUntilRevoked(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	made := decode[struct{ ID, Key string }](t, must(t, dir, "", "token", "--agent", "iris", "--api-key", "--json"))
	if got, err := verify(t, dir, made.Key); err != nil || got.Agent != "iris" || got.Taint != acl.Public {
		t.Fatalf("got %+v, %v", got, err)
	}
	if out := must(t, dir, "", "token", "--revoke", made.ID); out != "" {
		t.Errorf("got %q", out)
	}
	if _, err := verify(t, dir, made.Key); err == nil {
		t.Error("a revoked key is still valid")
	}
}

// listTokens returns what mneme token --list prints.
func listTokens(t *testing.T, dir string, args ...string) []token.Listed {
	t.Helper()
	return decode[struct{ Tokens []token.Listed }](t, must(t, dir, "", append([]string{"token", "--list", "--json"}, args...)...)).Tokens
}

func TestTokensAreListedWithTheirLastUse(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir())
	text := strings.TrimSpace(must(t, s.dir, "", "token", "--agent", "iris", "--name", "laptop", "--taint", "INTERNAL", "--scope", "share", "--ttl", "30d"))
	made := decode[struct{ ID, Key string }](t, must(t, s.dir, "", "token", "--agent", "me", "--api-key", "--name", "a job", "--json"))
	if list := listTokens(t, s.dir); len(list) != 2 || list[0].LastUse != nil || list[1].LastUse != nil {
		t.Fatalf("%+v", list)
	}
	if status, body := s.call(text, http.MethodGet, "/v1/stores", ""); status != http.StatusOK {
		t.Fatalf("status %d, %s", status, body)
	}
	var one token.Listed
	wait.Until(t, "the use is listed", func() error {
		list := listTokens(t, s.dir, "--agent", "iris")
		if len(list) != 1 || list[0].LastUse == nil {
			return fmt.Errorf("%+v", list)
		}
		one = list[0]
		return nil
	})
	if one.Name != "laptop" || one.Kind != "token" || one.Taint != acl.Internal || strings.Join(one.Scopes, " ") != "share" || one.State != "valid" ||
		one.Expires == nil || one.Expires.Sub(one.IssuedAt).Round(time.Hour) != 30*24*time.Hour {
		t.Errorf("%+v", one)
	}
	shown := must(t, s.dir, "", "token", "--list")
	secret := made.Key[strings.LastIndex(made.Key, "_")+1:]
	for _, want := range []string{one.ID, "laptop", "a job", made.ID, "api-key", "never", "share"} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is not in %s", want, shown)
		}
	}
	if strings.Contains(shown, text) || strings.Contains(shown, secret) {
		t.Errorf("a secret is shown: %s", shown)
	}
	must(t, s.dir, "", "token", "--revoke", one.ID)
	wait.Until(t, "the revoked token is refused", func() error {
		if status, body := s.call(text, http.MethodGet, "/v1/stores", ""); status != http.StatusUnauthorized || !strings.Contains(body, "revoked") {
			return fmt.Errorf("status %d, %s", status, body)
		}
		return nil
	})
	if list := listTokens(t, s.dir, "--agent", "iris"); list[0].State != "revoked" {
		t.Errorf("%+v", list)
	}
	if r := mneme(t, s.dir, "", "token", "--revoke", "none"); r.status != exitFailed || !strings.Contains(r.err, "no API key or token") {
		t.Errorf("%+v", r)
	}
	// Tokens that commands issue for themselves are not listed.
	must(t, s.dir, "", "list", "--agent", "me", "--url", s.address)
	if list := listTokens(t, s.dir); len(list) != 2 {
		t.Errorf("%+v", list)
	}
}

// Follows the procedure of docs/operating/keys.md.
func TestTheKeyIsRotatedNextToARunningServer(t *testing.T) {
	t.Setenv("MNEME_RATE_REFUSALS", "0") // the test calls it repeatedly
	s := serve(t, t.TempDir())
	status := func(text string) int {
		status, _ := s.call(text, http.MethodGet, "/v1/stores", "")
		return status
	}
	awaitAccepted := func(what, text string) {
		t.Helper()
		wait.Until(t, "the server knows "+what, func() error {
			if got := status(text); got != http.StatusOK {
				return fmt.Errorf("status %d", got)
			}
			return nil
		})
	}
	before := strings.TrimSpace(must(t, s.dir, "", "token", "--agent", "iris"))
	must(t, s.dir, "", "token", "--rotate-key", "--ttl", "30d")
	after := strings.TrimSpace(must(t, s.dir, "", "token", "--agent", "iris"))
	awaitAccepted("the new key", after)
	if got := status(before); got != http.StatusOK {
		t.Errorf("status %d with a token of the former key", got)
	}
	must(t, s.dir, "", "token", "--rotate-key", "--ttl", "0s")
	last := strings.TrimSpace(must(t, s.dir, "", "token", "--agent", "iris"))
	awaitAccepted("the last key", last)
	for _, ended := range []string{before, after} {
		if got := status(ended); got != http.StatusUnauthorized {
			t.Errorf("status %d with a token of a key that was ended", got)
		}
	}
}

func TestTokenFlagsThatExcludeEachOther(t *testing.T) {
	for _, args := range []string{"", "--list --revoke x", "--rotate-key --agent a", "--revoke x --name n", "--agent a --ttl 0s", "--list --name n"} {
		if r := mneme(t, t.TempDir(), "", append([]string{"token"}, strings.Fields(args)...)...); r.status != exitUsage {
			t.Errorf("%s: %+v", args, r)
		}
	}
	if r := mneme(t, t.TempDir(), "", "token", "--agent", "a", "--name", "a\nb"); r.status != exitUsage || !strings.Contains(r.err, "--name") {
		t.Errorf("%+v", r)
	}
}
