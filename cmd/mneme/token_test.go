package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mneme/acl"
	"mneme/internal/system"
	"mneme/server/token"
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
