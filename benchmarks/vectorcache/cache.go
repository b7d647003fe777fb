// Package vectorcache caches the vectors of texts on disk, so that repeating a
// benchmark over the same texts embeds none of them:
//
//	cache, err := vectorcache.Open(dir, embedder)
//	…
//	defer cache.Close()
//	// cache is an embed.Embedder
//
// The folder holds a folder for each fingerprint with files that are written once.
// They hold vectors and hashes of texts, never texts. It may be deleted at any
// time, and several processes may share it.
package vectorcache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"mneme/embed"
)

// flushBytes is the amount of new data that is buffered before it is written
// to a file: about 1,500 vectors of E5.
const flushBytes = 4 << 20

// Cache is an embedder that calls another one only for new texts. Close it after
// use.
type Cache struct {
	embed.Embedder
	dir string

	mu      sync.Mutex
	found   map[key]location
	pending map[key][]byte
	bytes   int // of pending
	files   []*os.File
	stats   Stats
	failed  error // of writing; disables further writes
}

// Stats counts the hits and misses of a Cache.
type Stats struct {
	Embedded int `json:"embedded"` // texts that the embedder embedded
	Reused   int `json:"reused"`   // texts whose vectors came from the cache
	Damaged  int `json:"damaged"`  // files that failed their checksum, and were removed
}

// key is the hash of a text with its kind.
type key [sha256.Size]byte

// The kinds of texts.
const (
	queryKind   = "query\x00"
	passageKind = "passage\x00"
)

func keyOf(kind, text string) key { return sha256.Sum256([]byte(kind + text)) }

// location is the position of an embedding in a file.
type location struct {
	file   *os.File
	offset int64
	size   uint32
}

// Open opens the cache of an embedder in a folder, which it creates if it is
// missing. It removes damaged files; their vectors are recomputed.
func Open(dir string, embedder embed.Embedder) (*Cache, error) {
	fingerprint := sha256.Sum256([]byte(embedder.Fingerprint()))
	c := &Cache{
		Embedder: embedder, dir: filepath.Join(dir, hex.EncodeToString(fingerprint[:16])),
		found: make(map[key]location), pending: make(map[key][]byte),
	}
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return nil, fmt.Errorf("vector cache: %w", err)
	}
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return nil, fmt.Errorf("vector cache: %w", err)
	}
	for _, entry := range entries {
		path := filepath.Join(c.dir, entry.Name())
		switch {
		case strings.HasSuffix(entry.Name(), suffix):
			if err := c.load(path); err != nil {
				return nil, errors.Join(fmt.Errorf("vector cache: %w", err), c.closeFiles())
			}
		case strings.HasPrefix(entry.Name(), unfinished):
			// Left by a killed process, unless another one is still writing it.
			if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > time.Hour {
				_ = os.Remove(path) // a leftover is harmless
			}
		}
	}
	return c, nil
}

// load indexes a file, or removes it if it is damaged.
func (c *Cache) load(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	found, err := index(file)
	switch {
	case errors.Is(err, errDamaged):
		c.stats.Damaged++
		return errors.Join(file.Close(), os.Remove(path))
	case err != nil:
		return errors.Join(err, file.Close())
	}
	c.files = append(c.files, file)
	for k, at := range found {
		c.found[k] = at
	}
	return nil
}

// Query implements embed.Embedder.
func (c *Cache) Query(ctx context.Context, text string) (embed.Query, error) {
	k := keyOf(queryKind, text)
	if data := c.get(k); data != nil {
		if q, err := decodeQuery(data); err == nil {
			return q, nil
		}
	}
	q, err := c.Embedder.Query(ctx, text)
	if err != nil {
		return embed.Query{}, err
	}
	c.put(map[key][]byte{k: encodeQuery(q)})
	return q, nil
}

// Passages implements embed.Embedder.
func (c *Cache) Passages(ctx context.Context, texts []string) ([]embed.Passage, error) {
	passages := make([]embed.Passage, len(texts))
	var missing []int
	var ask []string
	for i, text := range texts {
		data := c.get(keyOf(passageKind, text))
		var err error
		if data != nil {
			passages[i], err = decodePassage(data)
		}
		if data == nil || err != nil {
			missing, ask = append(missing, i), append(ask, text)
		}
	}
	if len(ask) == 0 {
		return passages, nil
	}
	made, err := c.Embedder.Passages(ctx, ask)
	if err != nil {
		return nil, err
	}
	fresh := make(map[key][]byte, len(made))
	for n, i := range missing {
		passages[i] = made[n]
		fresh[keyOf(passageKind, texts[i])] = encodePassage(made[n])
	}
	c.put(fresh)
	return passages, nil
}

// get returns the data of a key, or nil.
func (c *Cache) get(k key) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	data, ok := c.pending[k]
	if !ok {
		at, ok := c.found[k]
		if !ok {
			return nil
		}
		data = make([]byte, at.size)
		if _, err := at.file.ReadAt(data, at.offset); err != nil {
			return nil // it is recomputed
		}
	}
	c.stats.Reused++
	return data
}

// put adds embeddings, and writes a file if enough are pending. If that fails,
// Close reports it: embedding continues without the cache.
func (c *Cache) put(fresh map[key][]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats.Embedded += len(fresh)
	if c.failed != nil {
		return
	}
	for k, data := range fresh {
		c.pending[k] = data
		c.bytes += len(data)
	}
	if c.bytes >= flushBytes {
		c.failed = c.flush()
	}
}

// flush writes the pending embeddings to a new file.
func (c *Cache) flush() error {
	if len(c.pending) == 0 {
		return nil
	}
	path, err := write(c.dir, c.pending)
	c.pending, c.bytes = make(map[key][]byte), 0
	if err == nil {
		err = c.load(path)
	}
	if err != nil {
		return fmt.Errorf("vector cache: %w", err)
	}
	return nil
}

// Stats returns the counts so far.
func (c *Cache) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stats
}

// Close writes pending embeddings and closes the cache's files.
func (c *Cache) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return errors.Join(c.failed, c.flush(), c.closeFiles())
}

func (c *Cache) closeFiles() error {
	var failed []error
	for _, file := range c.files {
		failed = append(failed, file.Close())
	}
	c.files, c.found = nil, nil
	return errors.Join(failed...)
}
