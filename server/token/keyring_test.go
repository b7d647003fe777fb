package token_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mneme/acl"
	"mneme/server/token"
)

func openKeyring(t *testing.T, dir string) *token.Keyring {
	t.Helper()
	keys, err := token.OpenKeyring(dir)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func TestAVerifierFollowsItsKeyringAtOnce(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	apiKeys, err := token.OpenAPIKeys(dir)
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := token.NewVerifier(t.Context(), token.Options{APIKeys: apiKeys, Uses: token.OpenUses(dir)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(verifier.Wait) // before its folder is removed
	keys := verifier.Keyring()
	principal := acl.Principal{Agent: "job", Taint: acl.Internal, Share: true, User: "ada"}
	// The verifier reads the file.
	if _, err := verifier.Verify(t.Context(), "mneme_0_0"); err == nil {
		t.Fatal("an unknown key is accepted")
	}
	credential, made, err := keys.Create(principal, "nightly", time.Hour, now)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := verifier.Verify(t.Context(), credential); err != nil || got != principal {
		t.Errorf("%+v, %v", got, err)
	}
	list, err := keys.List("job", now)
	if err != nil || len(list) != 1 || list[0].LastUse == nil {
		t.Fatalf("the use that is not written yet is not listed: %+v, %v", list, err)
	}
	list[0].LastUse = nil
	if one := list[0]; fmt.Sprint(one.Scopes) != "[share]" || one.State != token.StateValid || one.Kind != token.KindAPIKey || one.User != "ada" || one.ID != made.ID {
		t.Errorf("%+v", one)
	}
	if text, err := json.Marshal(list); err != nil || strings.Contains(string(text), "sha256") || strings.Contains(string(text), strings.Split(credential, "_")[2]) {
		t.Errorf("the list has the secret: %s, %v", text, err)
	}
	if err := keys.Revoke(made.ID, now); err != nil {
		t.Fatal(err)
	}
	var refusal *token.Refusal
	if _, err := verifier.Verify(t.Context(), credential); !errors.As(err, &refusal) || !strings.Contains(refusal.Reason, "revoked") {
		t.Errorf("a revoked key: %v", err)
	}
	if err := keys.Revoke(made.ID, now); err != nil {
		t.Errorf("revoked again: %v", err)
	}
	if err := keys.Revoke("none", now); !errors.Is(err, token.ErrUnknownKey) {
		t.Errorf("an unknown ID: %v", err)
	}
	if list, err := openKeyring(t, dir).List("", now); err != nil || len(list) != 1 || list[0].State != token.StateRevoked {
		t.Errorf("after a restart: %+v, %v", list, err)
	}
}

func TestAVerifierWithoutAPIKeysHasNoKeyring(t *testing.T) {
	verifier, err := token.NewVerifier(t.Context(), token.Options{})
	if err != nil || verifier.Keyring() != nil {
		t.Errorf("%v, %v", verifier.Keyring(), err)
	}
}

func TestAKeyThatHasEndedMakesRoom(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	keys, principal := openKeyring(t, dir), acl.Principal{Agent: "job", Taint: acl.Public}
	_, first, err := keys.Create(principal, "", 0, now)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "apikeys.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Keys []map[string]any `json:"keys"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	for i := 1; i < token.MaxAPIKeys; i++ {
		other := map[string]any{"id": fmt.Sprint(i), "agent": "job", "taint": "PUBLIC", "created_at": now}
		file.Keys = append(file.Keys, other)
	}
	if text, err = json.Marshal(file); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := keys.Create(principal, "", 0, now); !errors.Is(err, token.ErrTooManyKeys) {
		t.Errorf("one too many: %v", err)
	}
	if err := keys.Revoke(first.ID, now); err != nil {
		t.Fatal(err)
	}
	if _, _, err := keys.Create(principal, "", 0, now); err != nil {
		t.Errorf("after one was revoked: %v", err)
	}
	list, err := keys.List("", now)
	if err != nil || len(list) != token.MaxAPIKeys {
		t.Fatalf("%d keys, %v", len(list), err)
	}
	for _, one := range list {
		if one.ID == first.ID {
			t.Error("the revoked key is still listed")
		}
	}
}
