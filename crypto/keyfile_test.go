package crypto

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"mneme/internal/system"
	"mneme/internal/system/systemtest"
)

func keyFile(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "keyring.json")
}

func onlyFile(t *testing.T, path string) {
	t.Helper()
	found, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 || found[0].Name() != filepath.Base(path) {
		t.Fatalf("the directory holds %v, want only the key file", found)
	}
}

func TestKeyFileIsCreatedOnceForItsOwnerOnly(t *testing.T) {
	path := keyFile(t)
	ring, created, err := LoadOrCreate(path)
	if err != nil || !created {
		t.Fatalf("created %v, error %v", created, err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(system.CheckPrivate(file), file.Close()); err != nil {
		t.Error(err)
	}
	onlyFile(t, path)

	again, created, err := LoadOrCreate(path)
	if err != nil || created {
		t.Fatalf("second time: created %v, error %v", created, err)
	}
	if _, err := again.Open(seal(t, ring, []byte("secret"), testRef), testRef); err != nil {
		t.Errorf("the loaded keyring does not open: %v", err)
	}
}

func TestExistingFileIsNeverOverwritten(t *testing.T) {
	path := keyFile(t)
	content := []byte("something of the user's")
	if err := system.WritePrivate(path, content, false); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Create: got %v, want fs.ErrExist", err)
	}
	if _, _, err := LoadOrCreate(path); !errors.Is(err, ErrKeyring) {
		t.Errorf("LoadOrCreate: got %v, want ErrKeyring", err)
	}
	if _, err := Rotate(path); !errors.Is(err, ErrKeyring) {
		t.Errorf("Rotate: got %v, want ErrKeyring", err)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, content) {
		t.Errorf("the file now holds %q (%v)", got, err)
	}
	onlyFile(t, path)
}

func TestManyCreatorsAgreeOnOneKey(t *testing.T) {
	path := keyFile(t)
	rings, made := make([]*Keyring, 8), make([]bool, 8)
	var wait sync.WaitGroup
	for i := range rings {
		wait.Go(func() {
			ring, created, err := LoadOrCreate(path)
			if err != nil {
				t.Error(err)
				return
			}
			rings[i], made[i] = ring, created
		})
	}
	wait.Wait()
	if t.Failed() {
		return
	}
	makers := 0
	for i, ring := range rings {
		if made[i] {
			makers++
		}
		if _, err := rings[0].Open(seal(t, ring, []byte("x"), testRef), testRef); err != nil {
			t.Errorf("keyring %d: %v", i, err)
		}
	}
	if makers != 1 {
		t.Errorf("%d report that they created the file, want 1", makers)
	}
	onlyFile(t, path)
}

func TestFileOpenToOthersIsRefused(t *testing.T) {
	path := keyFile(t)
	if _, err := Create(path); err != nil {
		t.Fatal(err)
	}
	systemtest.Expose(t, path)
	if _, err := Load(path); !errors.Is(err, ErrExposed) {
		t.Errorf("got %v, want %v", err, ErrExposed)
	}
}

func TestModesBeyondTheOwnersAreRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no modes")
	}
	path := keyFile(t)
	if _, err := Create(path); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		mode fs.FileMode
		want error
	}{
		{0o644, ErrExposed}, {0o640, ErrExposed}, {0o604, ErrExposed}, {0o620, ErrExposed}, {0o601, ErrExposed},
		{0o600, nil}, {0o400, nil},
	} {
		if err := os.Chmod(path, test.mode); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path); !errors.Is(err, test.want) {
			t.Errorf("mode %#o: got %v, want %v", test.mode, err, test.want)
		}
	}
}

func TestLoadDoesNotCreateAFile(t *testing.T) {
	path := keyFile(t)
	if _, err := Load(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
	if _, err := Rotate(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Rotate: got %v, want fs.ErrNotExist", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a file appeared")
	}
}

func TestNewestKeySealsAndAllOpen(t *testing.T) {
	path := keyFile(t)
	first, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	old := seal(t, first, []byte("old"), testRef)
	if _, err := Rotate(path); err != nil {
		t.Fatal(err)
	}
	onlyFile(t, path)
	ring, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if opened, err := ring.Open(old, testRef); err != nil || string(opened) != "old" {
		t.Errorf("after the rotation the old blob opens to %q, %v", opened, err)
	}
	fresh := seal(t, ring, []byte("new"), testRef)
	if _, err := first.Open(fresh, testRef); !errors.Is(err, ErrUnknownKey) {
		t.Errorf("the old key opens what the new key should have sealed: %v", err)
	}
	if opened, err := ring.Open(fresh, testRef); err != nil || string(opened) != "new" {
		t.Errorf("the new blob opens to %q, %v", opened, err)
	}
}

func TestRotationKeepsALinkAndWaitsForAnother(t *testing.T) {
	path := keyFile(t)
	if _, err := Create(path); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link.json")
	err := os.Symlink(path, link)
	if _, unseen := os.Lstat(link); runtime.GOOS == "windows" && unseen != nil {
		t.Skip("this Windows lets this user make no links: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Rotate(link); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v, %v", info.Mode(), err)
	}

	if err := os.WriteFile(path+".new", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Rotate(path); !errors.Is(err, ErrBusy) {
		t.Errorf("got %v, want ErrBusy", err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the key file changed under another rotation (%v)", err)
	}
}

func TestConcurrentRotationsLoseNoKey(t *testing.T) {
	path := keyFile(t)
	if _, err := Create(path); err != nil {
		t.Fatal(err)
	}
	blobs := make([][]byte, 6)
	var wait sync.WaitGroup
	for i := range blobs {
		wait.Go(func() {
			ring, err := Rotate(path)
			for errors.Is(err, ErrBusy) {
				ring, err = Rotate(path)
			}
			if err != nil {
				t.Error(err)
				return
			}
			blobs[i], err = ring.Seal([]byte("x"), testRef)
			if err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	ring, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, blob := range blobs {
		if _, err := ring.Open(blob, testRef); err != nil {
			t.Errorf("blob %d: %v", i, err)
		}
	}
}

func TestOtherKeysetsAreNoKeyring(t *testing.T) {
	key := `{"keyData": {"typeUrl": "type.googleapis.com/google.crypto.tink.XChaCha20Poly1305Key",
		"value": "GiAAAQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHw==", "keyMaterialType": "SYMMETRIC"},
		"status": "ENABLED", "keyId": 7, "outputPrefixType": "TINK"}`
	replace := strings.NewReplacer
	tests := []struct{ name, data string }{
		{"nothing", ``},
		{"not JSON", `AAECAwQF`},
		{"no key", `{"primaryKeyId": 7, "key": []}`},
		{"no primary key", `{"primaryKeyId": 8, "key": [` + key + `]}`},
		{"primary key not in use", `{"primaryKeyId": 7, "key": [` + replace("ENABLED", "DISABLED").Replace(key) + `]}`},
		{"two keys of one id", `{"primaryKeyId": 7, "key": [` + key + `,` + key + `]}`},
		{"key without a prefix", `{"primaryKeyId": 7, "key": [` + replace("TINK", "RAW").Replace(key) + `]}`},
		{"key of another kind", `{"primaryKeyId": 7, "key": [` + replace("XChaCha20Poly1305Key", "AesGcmKey").Replace(key) + `]}`},
		{"short key", `{"primaryKeyId": 7, "key": [` + replace("GiAAAQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHw==", "GgIAAQ==").Replace(key) + `]}`},
		{"unknown field", `{"primaryKeyId": 7, "key": [` + key + `], "AAECAwQF": 1}`},
	}
	if _, err := parseKeyring([]byte(`{"primaryKeyId": 7, "key": [` + key + `]}`)); err != nil {
		t.Fatalf("the keyset that the cases change is not valid: %v", err)
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := parseKeyring([]byte(test.data))
			if !errors.Is(err, ErrKeyring) {
				t.Fatalf("got %v, want ErrKeyring", err)
			}
			if strings.Contains(err.Error(), "AAECAwQF") {
				t.Errorf("the error quotes what was read: %v", err)
			}
		})
	}
}
