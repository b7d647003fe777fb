package token_test

import (
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mneme/acl"
	"mneme/server/token"
)

// localKey opens a new key, and reads its secret from the file.
func localKey(t testing.TB) (*token.LocalKey, []byte) {
	t.Helper()
	dir := t.TempDir()
	key, err := token.OpenLocalKey(dir)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "signing.key"))
	if err != nil {
		t.Fatal(err)
	}
	secret, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return key, secret
}

func TestTheSigningKeyIsMadeOnceAndForItsOwnerAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "data")
	var wait sync.WaitGroup
	for range 8 { // a server and commands that start at once
		wait.Go(func() {
			if _, err := token.OpenLocalKey(dir); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	path := filepath.Join(dir, "signing.key")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %o", info.Mode().Perm())
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Errorf("the directory holds %d files, %v; want the key alone", len(files), err)
	}
	first, err := token.OpenLocalKey(dir)
	if err != nil {
		t.Fatal(err)
	}
	minted, err := first.Mint(acl.Principal{Agent: "alice", Taint: acl.Public}, time.Hour, noon)
	if err != nil {
		t.Fatal(err)
	}
	second, err := token.OpenLocalKey(dir)
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := token.NewVerifier(t.Context(), token.Options{Local: second, Now: at(noon)})
	if err != nil {
		t.Fatal(err)
	}
	p, err := verifier.Verify(t.Context(), minted)
	check(t, p, err, &acl.Principal{Agent: "alice", Taint: acl.Public})

	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := token.OpenLocalKey(dir); !errors.Is(err, token.ErrReadable) {
		t.Errorf("a key that others can read: %v", err)
	}
}

func TestADamagedSigningKeyIsAnError(t *testing.T) {
	dir := t.TempDir()
	for _, text := range []string{"", "short", base64.StdEncoding.EncodeToString(make([]byte, 16))} {
		if err := os.WriteFile(filepath.Join(dir, "signing.key"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := token.OpenLocalKey(dir); err == nil {
			t.Errorf("%d bytes were taken for a key", len(text))
		}
	}
}

func TestAPIKeysStandForTheirFactsUntilTheyEnd(t *testing.T) {
	dir := t.TempDir()
	serving, err := token.OpenAPIKeys(dir)
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := token.NewVerifier(t.Context(), token.Options{APIKeys: serving, Now: at(noon)})
	if err != nil {
		t.Fatal(err)
	}
	command, err := token.OpenAPIKeys(dir) // another process
	if err != nil {
		t.Fatal(err)
	}
	want := acl.Principal{Agent: "alice", Taint: acl.Confidential, Chat: "c", User: "u", Platform: true, Share: true, Spend: true}
	lasting, _, err := command.Create(want, "", 0, noon)
	if err != nil {
		t.Fatal(err)
	}
	short, _, err := command.Create(acl.Principal{Agent: "bob", Taint: acl.Public}, "", time.Hour, noon.Add(-time.Hour))
	if err != nil {
		t.Fatal(err)
	}

	p, err := verifier.Verify(t.Context(), lasting)
	check(t, p, err, &want)
	for name, text := range map[string]string{
		"an expired key":         short,
		"a changed secret":       lasting[:len(lasting)-1] + flip(lasting[len(lasting)-1:]),
		"another key's secret":   lasting[:23] + short[23:],
		"an unknown id":          "mneme_0123456789abcdef_" + lasting[23:],
		"no secret":              lasting[:23],
		"the prefix alone":       "mneme_",
		"a longer secret":        lasting + "a",
		"a secret in capitals":   lasting[:23] + strings.ToUpper(lasting[23:]),
		"something before a key": " " + lasting,
	} {
		t.Run(name, func(t *testing.T) {
			p, err := verifier.Verify(t.Context(), text)
			check(t, p, err, nil)
		})
	}

	text, err := os.ReadFile(filepath.Join(dir, "apikeys.json"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), lasting[23:]) {
		t.Error("the file holds a secret")
	}

}

func TestARevokedKeyIsRefusedAfterASecondAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the interval between looks at the file passes at once
		dir := t.TempDir()
		serving, err := token.OpenAPIKeys(dir)
		if err != nil {
			t.Fatal(err)
		}
		verifier, err := token.NewVerifier(t.Context(), token.Options{APIKeys: serving, Now: at(noon)})
		if err != nil {
			t.Fatal(err)
		}
		command, err := token.OpenAPIKeys(dir) // another process
		if err != nil {
			t.Fatal(err)
		}
		alice := acl.Principal{Agent: "alice", Taint: acl.Public}
		revoked, id, err := command.Create(alice, "", 0, noon)
		if err != nil {
			t.Fatal(err)
		}
		kept, _, err := command.Create(alice, "", 0, noon)
		if err != nil {
			t.Fatal(err)
		}
		for _, credential := range []string{revoked, kept} {
			p, err := verifier.Verify(t.Context(), credential)
			check(t, p, err, &alice)
		}
		if err := command.Revoke(id, noon); err != nil {
			t.Fatal(err)
		}
		if err := command.Revoke(id, noon.Add(time.Hour)); err != nil {
			t.Errorf("revoking again: %v", err)
		}
		if err := command.Revoke("none", noon); !errors.Is(err, token.ErrUnknownKey) {
			t.Errorf("revoking an unknown key: %v", err)
		}
		time.Sleep(time.Second)
		p, err := verifier.Verify(t.Context(), revoked)
		check(t, p, err, nil)
		p, err = verifier.Verify(t.Context(), kept)
		check(t, p, err, &alice)
		list, err := serving.List()
		if err != nil || len(list) != 2 || list[0].ID != id || !list[0].RevokedAt.Equal(noon) {
			t.Errorf("list: %d keys, %v", len(list), err)
		}
	})
}

func flip(letter string) string {
	if letter == "a" {
		return "b"
	}
	return "a"
}

func TestKeysCreatedConcurrentlyAreAllStored(t *testing.T) {
	dir := t.TempDir()
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			keys, err := token.OpenAPIKeys(dir)
			if err == nil {
				_, _, err = keys.Create(acl.Principal{Agent: "alice", Taint: acl.Public}, "", 0, noon)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	keys, err := token.OpenAPIKeys(dir)
	if err != nil {
		t.Fatal(err)
	}
	if list, err := keys.List(); err != nil || len(list) != 8 {
		t.Errorf("%d keys, %v", len(list), err)
	}
}

func TestKeysThatOthersCanReadAdmitNobody(t *testing.T) {
	dir := t.TempDir()
	keys, err := token.OpenAPIKeys(dir)
	if err != nil {
		t.Fatal(err)
	}
	credential, _, err := keys.Create(acl.Principal{Agent: "alice", Taint: acl.Public}, "", 0, noon)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "apikeys.json"), 0o644); err != nil {
		t.Fatal(err)
	}
	verifier, err := token.NewVerifier(t.Context(), token.Options{APIKeys: keys, Now: at(noon)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := verifier.Verify(t.Context(), credential); !errors.Is(err, token.ErrReadable) {
		t.Errorf("got %v", err)
	}
	if _, err := token.OpenAPIKeys(dir); !errors.Is(err, token.ErrReadable) {
		t.Errorf("open: %v", err)
	}
}
