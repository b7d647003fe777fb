package pull

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// content is the published file.
var content = bytes.Repeat([]byte("weights and words, "), 10_000)

func published() File {
	sum := sha256.Sum256(content)
	return File{Name: "model.bin", Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:])}
}

// mirror serves content as a published file.
type mirror struct {
	content  []byte
	breakAt  int   // number of bytes after which an answer is interrupted; 0: never
	noRanges bool  // whether it ignores ranges
	shift    int64 // added to the first byte of a requested range
	status   int   // 0: as usual
	ranges   []string
	moved    string // redirect target; empty: none
	hidden   bool   // whether answers lack a length
}

func (m *mirror) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.ranges = append(m.ranges, r.Header.Get("Range"))
	if m.moved != "" && !strings.HasPrefix(r.URL.Path, "/moved/") {
		http.Redirect(w, r, m.moved+"/moved"+r.URL.Path, http.StatusFound)
		return
	}
	if m.status != 0 {
		w.WriteHeader(m.status)
		return
	}
	from, status := int64(0), http.StatusOK
	if text, ok := strings.CutPrefix(r.Header.Get("Range"), "bytes="); ok && !m.noRanges {
		n, err := strconv.ParseInt(strings.TrimSuffix(text, "-"), 10, 64)
		if err != nil {
			panic(err)
		}
		from, status = n+m.shift, http.StatusPartialContent
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(m.content)-1, len(m.content)))
	}
	rest := m.content[from:]
	if !m.hidden {
		w.Header().Set("Content-Length", strconv.Itoa(len(rest)))
	}
	w.WriteHeader(status)
	if m.breakAt > 0 && m.breakAt < len(rest) {
		_, _ = w.Write(rest[:m.breakAt])
		panic(http.ErrAbortHandler)
	}
	_, _ = w.Write(rest)
}

// fetch downloads from a mirror to a folder. It returns the waits between attempts and the
// reported progress.
func fetch(t *testing.T, m *mirror, folder string) (waits []time.Duration, progress []int64, err error) {
	t.Helper()
	server := httptest.NewServer(m)
	defer server.Close()
	d := &Fetcher{Client: server.Client(), Wait: func(_ context.Context, d time.Duration) error {
		waits = append(waits, d)
		return nil
	}}
	err = d.Fetch(t.Context(), server.URL+"/files/", published(), filepath.Join(folder, "model.bin"), func(n int64) { progress = append(progress, n) })
	return waits, progress, err
}

// requireFile checks that the folder has the published file and nothing else.
func requireFile(t *testing.T, folder string) {
	t.Helper()
	got, err := os.ReadFile(filepath.Join(folder, "model.bin"))
	if err != nil || !bytes.Equal(got, content) {
		t.Errorf("%d bytes, want %d: %v", len(got), len(content), err)
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != 1 {
		t.Errorf("the folder has %v: %v", files, err)
	}
}

func TestABreakIsResumed(t *testing.T) {
	folder, m := t.TempDir(), &mirror{content: content, breakAt: 70_000}
	waits, progress, err := fetch(t, m, folder)
	if err != nil {
		t.Fatal(err)
	}
	requireFile(t, folder)
	if len(m.ranges) != 3 || m.ranges[0] != "" || m.ranges[1] == "" || m.ranges[1] == m.ranges[2] {
		t.Errorf("the ranges were %q", m.ranges)
	}
	if want := []time.Duration{time.Second, time.Second}; !slices.Equal(waits, want) {
		t.Errorf("it waited %v, want %v", waits, want)
	}
	if !slices.IsSorted(progress) || progress[len(progress)-1] != published().Size {
		t.Errorf("the progress was %v", progress)
	}
}

// A download that was interrupted in one run is resumed in a later run.
func TestALaterRunGoesOn(t *testing.T) {
	for name, m := range map[string]*mirror{
		"with ranges":    {content: content},
		"without ranges": {content: content, noRanges: true},
		"without length": {content: content, hidden: true},
	} {
		folder := t.TempDir()
		part := filepath.Join(folder, "model.bin.part")
		if err := os.WriteFile(part, content[:50_000], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := fetch(t, m, folder); err != nil {
			t.Fatal(name, err)
		}
		requireFile(t, folder)
		if want := []string{"bytes=50000-"}; !slices.Equal(m.ranges, want) {
			t.Errorf("%s: the ranges were %q", name, m.ranges)
		}
	}
	folder, m := t.TempDir(), &mirror{content: content, status: http.StatusNotFound}
	if err := os.WriteFile(filepath.Join(folder, "model.bin.part"), content, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := fetch(t, m, folder); err != nil || len(m.ranges) != 0 {
		t.Errorf("a whole file was asked for again %q: %v", m.ranges, err)
	}
	requireFile(t, folder)
}

func TestRedirectsAreFollowed(t *testing.T) {
	target := httptest.NewServer(&mirror{content: content})
	defer target.Close()
	folder, m := t.TempDir(), &mirror{moved: target.URL}
	if err := os.WriteFile(filepath.Join(folder, "model.bin.part"), content[:1000], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := fetch(t, m, folder); err != nil {
		t.Fatal(err)
	}
	requireFile(t, folder)
}

func TestFailuresAreReported(t *testing.T) {
	wrong := bytes.Clone(content)
	wrong[123] ^= 1
	for name, c := range map[string]struct {
		mirror mirror
		part   []byte
		want   error
		text   string
		left   bool // whether a .part file remains
	}{
		"wrong bytes":           {mirror: mirror{content: wrong}, want: ErrNotThis, text: "SHA-256"},
		"wrong part":            {mirror: mirror{content: content}, part: wrong[:1000], want: ErrNotThis, text: "SHA-256"},
		"another length":        {mirror: mirror{content: content[1:]}, want: ErrNotThis, text: "189999 bytes", left: true},
		"hidden extra length":   {mirror: mirror{content: append(bytes.Clone(wrong), 'x'), hidden: true}, want: ErrNotThis, text: "SHA-256"},
		"another range":         {mirror: mirror{content: content, shift: 1}, part: content[:1000], want: ErrNotThis, text: "bytes 1001-", left: true},
		"not found":             {mirror: mirror{status: http.StatusNotFound}, want: ErrRefused, text: "404 Not Found", left: true},
		"refused":               {mirror: mirror{status: http.StatusForbidden}, want: ErrRefused, text: "403 Forbidden", left: true},
		"out of order":          {mirror: mirror{status: http.StatusServiceUnavailable}, want: ErrBroken, text: "503", left: true},
		"a part that is longer": {mirror: mirror{status: http.StatusNotFound}, part: append(bytes.Clone(content), 'x'), want: ErrRefused, text: "404", left: true},
	} {
		folder := t.TempDir()
		if c.part != nil {
			if err := os.WriteFile(filepath.Join(folder, "model.bin.part"), c.part, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		waits, _, err := fetch(t, &c.mirror, folder)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: error %v", name, err)
		}
		if _, err := os.Stat(filepath.Join(folder, "model.bin.part")); (err == nil) != c.left {
			t.Errorf("%s: the part: %v", name, err)
		}
		if _, err := os.Stat(filepath.Join(folder, "model.bin")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: a file was made: %v", name, err)
		}
		if retried := len(waits) > 0; retried != errors.Is(c.want, ErrBroken) {
			t.Errorf("%s: %d waits", name, len(waits))
		}
	}
}

func TestAnUnreachableServerIsRetriedAndReported(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	waits := 0
	d := &Fetcher{Client: http.DefaultClient, Wait: func(context.Context, time.Duration) error { waits++; return nil }}
	err := d.Fetch(t.Context(), server.URL, published(), filepath.Join(t.TempDir(), "f"), func(int64) {})
	if !errors.Is(err, ErrBroken) || !errors.Is(err, syscall.ECONNREFUSED) || waits != attempts-1 {
		t.Errorf("%d waits, error %v", waits, err)
	}
}

func TestAnInterruptionEndsTheDownload(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server := httptest.NewServer(&mirror{content: content, breakAt: 70_000})
	defer server.Close()
	folder := t.TempDir()
	d := &Fetcher{Client: server.Client(), Wait: func(ctx context.Context, _ time.Duration) error { cancel(); return ctx.Err() }}
	if err := d.Fetch(ctx, server.URL, published(), filepath.Join(folder, "f"), func(int64) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if info, err := os.Stat(filepath.Join(folder, "f.part")); err != nil || info.Size() == 0 {
		t.Errorf("nothing is left to go on with: %v", err)
	}
}

// Fetch returns the errors of the file system: a full disk, a missing folder.
func TestFilesThatCannotBeWrittenAreErrors(t *testing.T) {
	folder := t.TempDir()
	if _, _, err := fetch(t, &mirror{content: content}, filepath.Join(folder, "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("the system has no /dev/full")
	}
	if err := os.Symlink("/dev/full", filepath.Join(folder, "model.bin.part")); err != nil {
		t.Fatal(err)
	}
	waits, _, err := fetch(t, &mirror{content: content}, folder)
	if !errors.Is(err, syscall.ENOSPC) || len(waits) != 0 || !strings.Contains(err.Error(), "model.bin.part") {
		t.Errorf("%d waits, error %v", len(waits), err)
	}
}
