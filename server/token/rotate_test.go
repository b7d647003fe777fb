package token_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mneme/acl"
	"mneme/server/token"
)

// rotated is a server over a data folder, and the commands that use the same
// folder.
type rotated struct {
	t        *testing.T
	dir      string
	now      time.Time
	verifier *token.Verifier
}

// rotating runs test with a server whose clock is rotated.now, in a synctest bubble.
func rotating(t *testing.T, test func(r *rotated)) {
	synctest.Test(t, func(t *testing.T) {
		r := &rotated{t: t, dir: t.TempDir(), now: noon}
		key, err := token.OpenLocalKey(r.dir)
		if err != nil {
			t.Fatal(err)
		}
		if r.verifier, err = token.NewVerifier(t.Context(), token.Options{Local: key, Now: func() time.Time { return r.now }}); err != nil {
			t.Fatal(err)
		}
		test(r)
	})
}

var alicePublic = acl.Principal{Agent: "alice", Taint: acl.Public}

// mint returns a token of the current key, as a command creates it.
func (r *rotated) mint() string {
	r.t.Helper()
	key, err := token.OpenLocalKey(r.dir)
	if err != nil {
		r.t.Fatal(err)
	}
	text, err := key.Mint(alicePublic, 90*24*time.Hour, noon)
	if err != nil {
		r.t.Fatal(err)
	}
	return text
}

func (r *rotated) rotate(keep time.Duration) {
	r.t.Helper()
	if err := token.Rotate(r.dir, keep, r.now); err != nil {
		r.t.Fatal(err)
	}
	time.Sleep(time.Second) // servers check the file once a second
}

// accepts checks whether the server accepts a token.
func (r *rotated) accepts(text string, want bool) {
	r.t.Helper()
	p, err := r.verifier.Verify(r.t.Context(), text)
	if want {
		check(r.t, p, err, &alicePublic)
	} else {
		check(r.t, p, err, nil)
	}
}

func TestTokensOfAFormerKeyAreAcceptedForATime(t *testing.T) {
	rotating(t, func(r *rotated) {
		first := r.mint()
		r.accepts(first, true)
		r.rotate(48 * time.Hour)
		second := r.mint()
		r.accepts(first, true)
		r.accepts(second, true)
		r.now = noon.Add(24 * time.Hour)
		r.rotate(48 * time.Hour) // the tokens of the first key are still accepted
		third := r.mint()
		for _, text := range []string{first, second, third} {
			r.accepts(text, true)
		}
		r.now = noon.Add(48 * time.Hour)
		r.accepts(first, false)
		r.accepts(second, true)
		r.now = noon.Add(72 * time.Hour)
		r.accepts(second, false)
		r.accepts(third, true)
	})
}

func TestARotationCanEndAllTokensAtOnce(t *testing.T) {
	rotating(t, func(r *rotated) {
		first := r.mint()
		r.rotate(time.Hour)
		second := r.mint()
		r.rotate(0)
		r.accepts(first, false)
		r.accepts(second, false)
		r.accepts(r.mint(), true)
	})
}

func TestWithoutItsFileAKeyAcceptsNothing(t *testing.T) {
	rotating(t, func(r *rotated) {
		first := r.mint()
		r.rotate(time.Hour)
		second := r.mint()
		r.accepts(second, true)
		if err := os.Remove(filepath.Join(r.dir, "signing.key")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		r.accepts(first, false)
		r.accepts(second, false)
		third := r.mint() // makes a key
		time.Sleep(time.Second)
		r.accepts(first, false)
		r.accepts(second, false)
		r.accepts(third, true)
	})
}

func TestADamagedFileOfFormerKeysIsAnError(t *testing.T) {
	dir := t.TempDir()
	if err := token.Rotate(dir, time.Hour, noon); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, token.FormerKeyFile)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"short 2026-01-01T00:00:00Z\n", string(good[:44]) + "\n", string(good[:44]) + " tomorrow\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := token.OpenLocalKey(dir); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

func TestKeysRotatedAtOnceAreAllAccepted(t *testing.T) {
	rotating(t, func(r *rotated) {
		first := r.mint()
		var wait sync.WaitGroup
		for range 4 {
			wait.Go(func() {
				if err := token.Rotate(r.dir, time.Hour, noon); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		time.Sleep(time.Second)
		r.accepts(first, true)
		r.accepts(r.mint(), true)
	})
}

func TestAnIssuedTokenIsListedAndCanBeRevoked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		key, err := token.OpenLocalKey(dir)
		if err != nil {
			t.Fatal(err)
		}
		open := func() *token.Issued {
			issued, err := token.OpenIssued(dir)
			if err != nil {
				t.Fatal(err)
			}
			return issued
		}
		verifier, err := token.NewVerifier(t.Context(), token.Options{Local: key, Issued: open(), Now: at(noon)})
		if err != nil {
			t.Fatal(err)
		}
		command := open() // another process
		old, err := command.Issue(key, alicePublic, "old", time.Second, noon.Add(-40*24*time.Hour))
		if err != nil || old == "" {
			t.Fatal(err)
		}
		want := acl.Principal{Agent: "alice", Taint: acl.Internal, Share: true}
		text, err := command.Issue(key, want, "laptop", time.Hour, noon)
		if err != nil {
			t.Fatal(err)
		}
		other, err := command.Issue(key, want, "", time.Hour, noon)
		if err != nil {
			t.Fatal(err)
		}
		p, err := verifier.Verify(t.Context(), text)
		check(t, p, err, &want)
		list, err := command.List()
		if err != nil || len(list) != 2 || list[0].Name != "laptop" || list[0].Principal() != want || !list[0].ExpiresAt.Equal(noon.Add(time.Hour)) {
			t.Fatalf("%+v, %v", list, err)
		}
		if err := command.Revoke(list[0].ID, noon); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		p, err = verifier.Verify(t.Context(), text)
		check(t, p, err, nil)
		p, err = verifier.Verify(t.Context(), other)
		check(t, p, err, &want)
		unlisted, err := key.Mint(want, time.Hour, noon)
		if err != nil {
			t.Fatal(err)
		}
		p, err = verifier.Verify(t.Context(), unlisted)
		check(t, p, err, &want)
		// Any token could be revoked.
		if err := os.WriteFile(filepath.Join(dir, "tokens.json"), []byte("damaged"), 0o600); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if _, err := verifier.Verify(t.Context(), other); err == nil {
			t.Error("a token is accepted that may be revoked")
		}
		if _, err := command.Issue(key, want, "a\nb", time.Hour, noon); err == nil {
			t.Error("a name of two lines")
		}
	})
}

func TestTheLastUseIsWrittenOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		key, err := token.OpenLocalKey(dir)
		if err != nil {
			t.Fatal(err)
		}
		issued, err := token.OpenIssued(dir)
		if err != nil {
			t.Fatal(err)
		}
		keys, err := token.OpenAPIKeys(dir)
		if err != nil {
			t.Fatal(err)
		}
		now := noon
		verifier, err := token.NewVerifier(t.Context(), token.Options{
			Local: key, Issued: issued, APIKeys: keys, Uses: token.OpenUses(dir), Now: func() time.Time { return now },
		})
		if err != nil {
			t.Fatal(err)
		}
		text, err := issued.Issue(key, alicePublic, "", time.Hour, noon)
		if err != nil {
			t.Fatal(err)
		}
		apiKey, id, err := keys.Create(alicePublic, "", 0, noon)
		if err != nil {
			t.Fatal(err)
		}
		list, err := issued.List()
		if err != nil {
			t.Fatal(err)
		}
		use := func(credential string) {
			t.Helper()
			if _, err := verifier.Verify(t.Context(), credential); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		used := func(want map[string]time.Time) {
			t.Helper()
			got, err := token.OpenUses(dir).List()
			if err != nil || len(got) != len(want) {
				t.Fatalf("%v, %v, want %v", got, err, want)
			}
			for id, at := range want {
				if !got[id].Equal(at) {
					t.Errorf("%s: %v, want %v", id, got[id], at)
				}
			}
		}
		used(nil)
		use(text)
		used(map[string]time.Time{list[0].ID: noon})
		now = noon.Add(10 * time.Second)
		use(text)
		use(apiKey)
		used(map[string]time.Time{list[0].ID: noon})
		time.Sleep(time.Minute)
		synctest.Wait()
		used(map[string]time.Time{list[0].ID: now, id: now})
		if _, err := verifier.Verify(t.Context(), apiKey+"x"); err == nil {
			t.Error("a wrong key")
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		used(map[string]time.Time{list[0].ID: now, id: now})
	})
}
