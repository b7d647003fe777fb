package tool

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"time"

	"mneme/memory"
)

// keyValue returns the tools of the deprecated key-value skill, which use
// the agent's own store.
func keyValue() []tool {
	return []tool{
		{kvSetDefinition, kvSet},
		{kvGetDefinition, kvGet},
		{kvDeleteDefinition, kvDelete},
	}
}

func kvSet(ctx context.Context, c *call) (Result, error) {
	var key string
	var value, source json.RawMessage
	var ttl int
	var isJSON bool
	given, err := c.decode(arguments{"key": &key, "value": &value, "is_json": &isJSON, "ttl": &ttl, "source": &source})
	if err == nil {
		err = need(given, "key", "value")
	}
	if err == nil {
		value, err = valueOf("value", value, isJSON)
	}
	if err != nil {
		return Result{}, err
	}
	if int64(ttl) > int64(math.MaxInt64/time.Second) || ttl < 0 {
		ttl = -1 // overflows a Duration; the service refuses a negative one
	}
	put, err := c.save(ctx, key, value, source, func(r *memory.PutRequest) {
		if given["ttl"] {
			d := time.Duration(ttl) * time.Second
			r.TTL = &d
		}
	})
	if err != nil {
		return Result{}, err
	}
	return asJSON(struct {
		Saved bool   `json:"saved"`
		Key   string `json:"key"`
	}{true, put.Key})
}

// stored is the result of kv_get.
type stored struct {
	Found bool            `json:"found"`
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value"` // a part of its text if Truncated, or from an offset on
	page
}

func kvGet(ctx context.Context, c *call) (Result, error) {
	var part stretch
	key, given, err := c.key(part.add(arguments{}))
	if err != nil {
		return Result{}, err
	}
	found, err := c.service.Get(ctx, c.caller, c.own(key))
	if errors.Is(err, memory.ErrNotFound) {
		return asJSON(absent{Key: key})
	}
	if err != nil {
		return Result{}, err
	}
	got := stored{Found: true, Key: found.Key}
	room, err := c.room(got)
	if err != nil {
		return Result{}, err
	}
	if got.Value = found.Value; part != (stretch{}) || given["length"] || len(got.Value) > room {
		got.Value = nil
		if got.page, err = c.read(display(found.Value), part, given, got); err != nil {
			return Result{}, err
		}
		if got.Value, err = quoted(got.text); err != nil {
			return Result{}, err
		}
	}
	return asJSON(got)
}

func kvDelete(ctx context.Context, c *call) (Result, error) {
	key, _, err := c.key(arguments{})
	if err != nil {
		return Result{}, err
	}
	err = c.service.Delete(ctx, c.caller, c.own(key), memory.Preconditions{})
	if err != nil && !errors.Is(err, memory.ErrNotFound) {
		return Result{}, err
	}
	return asJSON(removed{Deleted: err == nil, Key: key})
}
