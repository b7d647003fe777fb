package backendtest

import (
	"context"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mneme/acl"
	"mneme/memory"
	"mneme/test/size"
)

// checks guards rapid's flag for the number of checks while a test changes its value.
var checks sync.Mutex

// Check is like rapid.Check, but divides the number of checks by by, at least to one. A
// full run has two and a half times as many checks, a run with -short, as under the race
// detector, a quarter: one goroutine does most of the work. Unlike rapid.Check with a
// changed flag, Check may run in parallel with other tests. The property opens its
// resources for its TB, whose cleanup functions run after each check.
func Check(t *testing.T, by int, property func(t testing.TB, rt *rapid.T)) {
	t.Helper()
	if testing.Short() {
		by *= 4
	}
	checks.Lock()
	flagged := flag.Lookup("rapid.checks").Value
	before := flagged.String()
	begin := sync.OnceFunc(func() {
		_ = flagged.Set(before) // it was valid before
		checks.Unlock()
	})
	defer begin()
	n, err := strconv.Atoi(before)
	if err != nil {
		t.Fatal(err)
	}
	if err := flagged.Set(strconv.Itoa(max(1, n*size.Of(2, 5)/2/by))); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		begin() // rapid has read the flag
		property(check{t, rt}, rt)
	})
}

// check is a TB that runs its cleanup functions at the end of one check.
type check struct {
	testing.TB
	of *rapid.T
}

// Cleanup implements testing.TB.
func (c check) Cleanup(f func()) { c.of.Cleanup(f) }

// Change is a call that writes data or advances the clock.
type Change func(f *Fixture, clock *Clock) error

// DrawChange draws a call that changes, or could change, the data visible to a
// reader of the store alice.
func DrawChange(t *rapid.T) Change {
	ctx := context.Background()
	agent := func(name string, taint acl.Label) memory.Caller {
		return memory.Caller{Principal: Principal(name, taint), Internal: true}
	}
	writer := agent(rapid.SampledFrom([]string{"alice", "alice", "bob"}).Draw(t, "writer"),
		rapid.SampledFrom([]acl.Label{acl.Public, acl.Public, acl.Internal, acl.Confidential}).Draw(t, "label"))
	at := memory.Path{Store: "alice", Key: rapid.SampledFrom([]string{"a", "b", "c/d"}).Draw(t, "key")}
	put := memory.PutRequest{Path: at, Value: Text(rapid.SampledFrom([]string{"x", "x by the sea", "x x at night"}).Draw(t, "value"))}
	write := func(f *Fixture, _ *Clock) error { _, err := f.Put(ctx, writer, put); return err }
	switch rapid.SampledFrom([]string{"put", "put", "put", "not in context", "encrypted", "expiring", "delete", "delete", "restore", "revert", "rename", "move",
		"batch", "share", "unshare", "clock", "purge"}).Draw(t, "kind") {
	case "put":
		return write
	case "not in context":
		put.InContext = new(bool)
		return write
	case "encrypted":
		put.Path.Key, put.Encrypted = "sealed", new(true)
		return write
	case "expiring":
		put.TTL = new(time.Duration(rapid.IntRange(1, 20).Draw(t, "ttl")) * time.Second)
		return write
	case "delete":
		return func(f *Fixture, _ *Clock) error {
			return f.Delete(ctx, writer, at, memory.Preconditions{})
		}
	case "restore", "revert":
		r := memory.RestoreRequest{Path: at}
		if rapid.Bool().Draw(t, "version") {
			r.Version = new(1)
		}
		return func(f *Fixture, _ *Clock) error { _, err := f.Restore(ctx, writer, r); return err }
	case "rename", "move":
		r := memory.RenameRequest{Path: at, To: rapid.SampledFrom([]string{"a", "b", "e"}).Draw(t, "to")}
		if rapid.Bool().Draw(t, "store") {
			r.ToStore = writer.Agent
		}
		if rapid.Bool().Draw(t, "namespace") {
			r.ToNamespace = new(rapid.SampledFrom([]string{"", "n"}).Draw(t, "to namespace"))
		}
		return func(f *Fixture, _ *Clock) error { _, err := f.Rename(ctx, writer, r); return err }
	case "batch":
		other := put
		other.Path.Key = "batch"
		return func(f *Fixture, _ *Clock) error {
			_, err := f.PutAll(ctx, writer, []memory.PutRequest{put, other, put})
			return err
		}
	case "share":
		level := rapid.SampledFrom([]acl.Level{acl.Search, acl.Read, acl.ReadWrite}).Draw(t, "level")
		most := rapid.SampledFrom([]acl.Label{acl.Public, acl.Internal, acl.Restricted}).Draw(t, "max label")
		return func(f *Fixture, _ *Clock) error {
			_, err := f.Share(ctx, agent("alice", acl.Restricted), memory.ShareRequest{Store: "alice", Grantee: "bob", Level: level, MaxLabel: most})
			return err
		}
	case "unshare":
		return func(f *Fixture, _ *Clock) error {
			return f.Unshare(ctx, agent("alice", acl.Restricted), "alice", "bob")
		}
	case "clock":
		by := time.Duration(rapid.IntRange(1, 10).Draw(t, "seconds")) * time.Second
		return func(_ *Fixture, clock *Clock) error { clock.Advance(by); return nil }
	default:
		return func(f *Fixture, clock *Clock) error {
			_, err := f.Purge(ctx, memory.Caller{Principal: acl.Principal{Agent: "platform", Platform: true}, Internal: true}, memory.PurgeRequest{Before: clock.Now()}, nil)
			return err
		}
	}
}

// Difference returns the lines that differ between two texts.
func Difference(with, without string) string {
	var out strings.Builder
	a, b := strings.Split(with, "\n"), strings.Split(without, "\n")
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			if i < len(a) {
				fmt.Fprintln(&out, "with:   ", a[i])
			}
			if i < len(b) {
				fmt.Fprintln(&out, "without:", b[i])
			}
		}
	}
	return out.String()
}
