package console

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"

	"mneme/server/compress"
	"mneme/server/problem"
)

// Files are the built files of the console; nil if there are none.
type Files = fs.FS

// policy lets the page load its own files and call its own service, and nothing else.
// Svelte creates its constant templates through the Trusted Types policy of this name.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types svelte-trusted-html"

const (
	indexFile     = "index.html"
	operatingFile = "operating.md"
)

// site serves files from memory.
type site struct{ files map[string]*file }

type file struct {
	content     []byte
	compressed  func() []byte // gzip; nil: not shorter
	contentType string
	tag         string // quoted
	lasting     bool   // its name changes with its content: browsers cache it for long
}

func newSite(files fs.FS, operating []byte) (*site, error) {
	s := &site{files: make(map[string]*file)}
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		s.files[name] = newFile(name, content)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if s.files[indexFile] == nil {
		return nil, fmt.Errorf("the console has no %s", indexFile)
	}
	page := newFile(operatingFile, operating)
	page.contentType = "text/plain; charset=utf-8" // browsers show it, and download Markdown
	s.files[operatingFile] = page
	return s, nil
}

func newFile(name string, content []byte) *file {
	sum := sha256.Sum256(content)
	f := &file{
		content: content, contentType: mime.TypeByExtension(path.Ext(name)), lasting: strings.HasPrefix(name, "assets/"),
		tag: `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`,
	}
	if f.contentType == "" {
		f.contentType = "application/octet-stream"
	}
	// Most servers never serve the console, and compressing its files would be much
	// of their start.
	f.compressed = sync.OnceValue(func() []byte { return compressed(content) })
	return f
}

// compressed returns content in gzip, or nil if gzip is not shorter.
func compressed(content []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(content) // a buffer takes all
	_ = w.Close()
	if out.Len() >= len(content) {
		return nil
	}
	return out.Bytes()
}

// serve responds with a file; "" is the page.
func (s *site) serve(w http.ResponseWriter, r *http.Request, name string) error {
	if name == "" {
		name = indexFile
	}
	f := s.files[name]
	if f == nil {
		return problem.New(problem.NoSuchCall, "the console has no such file")
	}
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Vary", "Accept-Encoding")
	h.Set("Cache-Control", "no-cache")
	if f.lasting {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	content, tag := f.content, f.tag
	if acceptsGzip(r.Header.Get("Accept-Encoding")) {
		if short := f.compressed(); short != nil {
			h.Set("Content-Encoding", "gzip")
			content, tag = short, strings.TrimSuffix(f.tag, `"`)+`-gzip"`
		}
	}
	h.Set("ETag", tag)
	if compress.Holds(r.Header.Values("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	h.Set("Content-Type", f.contentType)
	h.Set("Content-Length", fmt.Sprint(len(content)))
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	_, err := w.Write(content)
	return err
}

// acceptsGzip reports whether an Accept-Encoding names gzip, and does not refuse it.
func acceptsGzip(header string) bool {
	for _, part := range strings.Split(header, ",") {
		name, parameters, _ := strings.Cut(strings.TrimSpace(part), ";")
		if strings.EqualFold(name, "gzip") {
			quality, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(parameters), "q="), 64)
			return err != nil || quality > 0
		}
	}
	return false
}
