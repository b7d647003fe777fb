// Package pull downloads files whose length and SHA-256 are known, so that they may come from
// any mirror. It resumes an interrupted download, in the same call or a later one.
package pull

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mneme/internal/system"
)

// File is a published file. Name is the last element of its URL, Size its length in
// bytes and SHA256 its checksum in hexadecimal digits.
type File struct {
	Name   string
	Size   int64
	SHA256 string
}

// Errors of Fetch and Check wrap one of these, or the error of the file system.
var (
	// ErrNotThis reports a file of another length or with another checksum.
	ErrNotThis = errors.New("not the published file")
	// ErrRefused reports an answer other than the file, such as 404.
	ErrRefused = errors.New("the server refuses the download")
	// ErrBroken reports that a download was interrupted too often. Another Fetch resumes
	// it.
	ErrBroken = errors.New("the download broke off")
)

const (
	// attempts is the number of consecutive interruptions without any bytes received
	// before Fetch gives up.
	attempts = 5
	// stall is how long a download may receive nothing.
	stall = time.Minute
	// partSuffix is the end of the name of an unfinished file.
	partSuffix = ".part"
)

// Fetcher downloads files.
type Fetcher struct {
	Client *http.Client
	// Wait waits for a duration. It returns nil afterwards, or the context's error. After the
	// first of several consecutive interruptions the duration is one second; it doubles with
	// each further one.
	Wait func(ctx context.Context, d time.Duration) error
}

// New returns a Fetcher that uses the proxies in the usual environment variables
// (http.ProxyFromEnvironment).
func New() *Fetcher {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = stall
	return &Fetcher{Client: &http.Client{Transport: transport}, Wait: sleep}
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Fetch downloads f to path. base is the URL of its folder. Until the download is complete, the
// file has the suffix .part; if such a file exists, Fetch resumes it. Then Fetch renames the
// file to path if its checksum matches, and deletes it otherwise. It calls progress with the
// number of bytes downloaded so far.
func (d *Fetcher) Fetch(ctx context.Context, base string, f File, path string, progress func(int64)) error {
	part := path + partSuffix
	if err := d.complete(ctx, strings.TrimSuffix(base, "/")+"/"+f.Name, f, part, progress); err != nil {
		return err
	}
	if err := Check(part, f); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return system.Replace(part, path)
}

// complete downloads until part has all bytes.
func (d *Fetcher) complete(ctx context.Context, url string, f File, part string, progress func(int64)) error {
	broken := 0
	for {
		before, after, err := d.attempt(ctx, url, f, part, progress)
		var lost *lostError
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case !errors.As(err, &lost):
			return err
		case after > before:
			broken = 0
		}
		if broken++; broken == attempts {
			return fmt.Errorf("%w after %d of %d bytes: %w; the same command goes on from there", ErrBroken, after, f.Size, lost.err)
		}
		if err := d.Wait(ctx, time.Second<<(broken-1)); err != nil {
			return err
		}
	}
}

// lostError is a connection error, after which another attempt may succeed.
type lostError struct{ err error }

func (e *lostError) Error() string { return e.err.Error() }

func (e *lostError) Unwrap() error { return e.err }

// attempt makes one request for the missing rest of part. It returns the length of part before
// and after the request.
func (d *Fetcher) attempt(ctx context.Context, url string, f File, part string, progress func(int64)) (before, after int64, err error) {
	out, err := os.OpenFile(part, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if before, err = out.Seek(0, io.SeekEnd); err != nil {
		return 0, 0, err
	}
	if before > f.Size {
		before = 0
	}
	if before == f.Size {
		progress(before)
		return before, before, nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	body, from, err := d.request(ctx, url, f, before)
	if err != nil {
		return before, before, err
	}
	defer body.Close()
	if err := cut(out, from); err != nil {
		return before, from, err
	}
	watched := &watch{in: body, done: from, progress: progress, timer: time.AfterFunc(stall, func() { cancel(errors.New("no data for a minute")) })}
	defer watched.timer.Stop()
	n, err := io.Copy(out, io.LimitReader(watched, f.Size-from))
	after = from + n
	switch {
	case watched.err != nil && context.Cause(ctx) != nil:
		return before, after, &lostError{context.Cause(ctx)}
	case watched.err != nil && !errors.Is(watched.err, io.EOF):
		return before, after, &lostError{watched.err}
	case err != nil:
		return before, after, fmt.Errorf("%w (%d of %d bytes are there)", err, after, f.Size)
	case after < f.Size:
		return before, after, &lostError{io.ErrUnexpectedEOF}
	}
	return before, after, nil
}

// cut truncates a file that is open at its end.
func cut(file *os.File, to int64) error {
	at, err := file.Seek(0, io.SeekCurrent)
	if err != nil || at == to {
		return err
	}
	if err := file.Truncate(to); err != nil {
		return err
	}
	_, err = file.Seek(to, io.SeekStart)
	return err
}

// request requests a file from byte from on. It returns the body, and the index of the body's
// first byte: that is 0 if the server ignores the requested range.
func (d *Fetcher) request(ctx context.Context, url string, f File, from int64) (io.ReadCloser, int64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, 0, err
	}
	if from > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", from))
	}
	resp, err := d.Client.Do(req)
	if err != nil {
		return nil, 0, &lostError{err}
	}
	switch {
	case resp.StatusCode == http.StatusPartialContent && from > 0:
		var at, to, total int64
		if _, err = fmt.Sscanf(resp.Header.Get("Content-Range"), "bytes %d-%d/%d", &at, &to, &total); err == nil && at == from && total == f.Size {
			return resp.Body, from, nil
		}
		err = fmt.Errorf("%w: %s answers with the bytes %q of %d from %d on", ErrNotThis, url, resp.Header.Get("Content-Range"), f.Size, from)
	case resp.StatusCode == http.StatusOK:
		if resp.ContentLength < 0 || resp.ContentLength == f.Size {
			return resp.Body, 0, nil
		}
		err = fmt.Errorf("%w: %s has %d bytes, not %d", ErrNotThis, url, resp.ContentLength, f.Size)
	case resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests:
		err = &lostError{fmt.Errorf("%w: %s: %s", ErrRefused, url, resp.Status)}
	default:
		err = fmt.Errorf("%w: %s: %s", ErrRefused, url, resp.Status)
	}
	return nil, 0, errors.Join(err, resp.Body.Close())
}

// watch reads a body, reports its progress and ends the request if nothing arrives.
type watch struct {
	in       io.Reader
	done     int64
	err      error // of the last read
	progress func(int64)
	timer    *time.Timer
}

func (w *watch) Read(b []byte) (int, error) {
	n, err := w.in.Read(b)
	w.timer.Reset(stall)
	w.done, w.err = w.done+int64(n), err
	w.progress(w.done)
	return n, err
}

// Check verifies the length and the checksum of a file.
func Check(path string, f File) (err error) {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	h := sha256.New()
	n, err := io.Copy(h, in)
	if err != nil {
		return err
	}
	if sum := hex.EncodeToString(h.Sum(nil)); n != f.Size || sum != f.SHA256 {
		return fmt.Errorf("%w: %s has %d bytes with SHA-256 %s; %d bytes with %s were published", ErrNotThis, filepath.Base(path), n, sum, f.Size, f.SHA256)
	}
	return nil
}
