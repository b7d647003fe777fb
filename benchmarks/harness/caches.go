package harness

import (
	"errors"

	"mneme/benchmarks/vectorcache"
	"mneme/cmd/compose"
	"mneme/embed"
)

// Caches store the output of embedders in a folder.
type Caches struct {
	Embedders compose.Embedders // they ask the embedders only for texts that are new
	opened    []*vectorcache.Cache
}

// OpenCaches opens the caches of embedders in a folder. Close them after use.
func OpenCaches(dir string, embedders compose.Embedders) (*Caches, error) {
	c := &Caches{}
	open := func(e embed.Embedder) (embed.Embedder, error) {
		if e == nil {
			return nil, nil
		}
		cache, err := vectorcache.Open(dir, e)
		if err != nil {
			return nil, err
		}
		c.opened = append(c.opened, cache)
		return cache, nil
	}
	var err error
	if c.Embedders.Main, err = open(embedders.Main); err == nil {
		c.Embedders.Multilingual, err = open(embedders.Multilingual)
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// Stats counts the hits and misses of the caches.
func (c *Caches) Stats() (sum vectorcache.Stats) {
	for _, cache := range c.opened {
		one := cache.Stats()
		sum.Embedded += one.Embedded
		sum.Reused += one.Reused
		sum.Damaged += one.Damaged
	}
	return sum
}

// Close writes pending entries to the folder, and closes its files.
func (c *Caches) Close() error {
	failed := make([]error, len(c.opened))
	for i, cache := range c.opened {
		failed[i] = cache.Close()
	}
	return errors.Join(failed...)
}
