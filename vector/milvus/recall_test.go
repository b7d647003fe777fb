package milvus

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/acl/acltest"
	"mneme/vector"
	"mneme/vector/flat"
	"mneme/vector/milvus/milvustest"
)

// unit is a random unit vector.
func unit(r *rand.Rand, dim int) []float32 {
	v := make([]float32, dim)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return normal(v)
}

func normal(v []float32) []float32 {
	square := 0.0
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(square))
	}
	return v
}

// corpus makes vectors as a text encoder does: all share a direction (their
// cosines lie above .7, as E5's do), and each belongs to a topic.
type corpus struct {
	r      *rand.Rand
	common []float32
	topics [][]float32
}

func newCorpus(dim int) *corpus {
	r := rand.New(rand.NewPCG(1, 2))
	c := &corpus{r: r, common: unit(r, dim)}
	for range 300 {
		c.topics = append(c.topics, unit(r, dim))
	}
	return c
}

// text is the vector of one text: squares of the weights add up to 1.
func (c *corpus) text() []float32 {
	topic, own := c.topics[c.r.IntN(len(c.topics))], unit(c.r, len(c.common))
	v := make([]float32, len(own))
	for i := range v {
		v[i] = .86*c.common[i] + .36*topic[i] + .36*own[i]
	}
	return normal(v)
}

// A graph finds, within scopes of every width, what a scan finds. With
// MNEME_MILVUS_VECTORS it is a measurement: that many vectors, and a table.
func TestTheGraphFindsWhatAScanFinds(t *testing.T) {
	addr := milvustest.Addr(t)
	vectors, queries := 4000, 20
	measured := os.Getenv("MNEME_MILVUS_VECTORS")
	if measured != "" {
		var err error
		if vectors, err = strconv.Atoi(measured); err != nil {
			t.Fatal(err)
		}
		queries = 200
	}
	const dim, stores = 384, 1000
	config := testConfig(addr, dim)
	config.Partitions = int64(intVariable(t, "MNEME_MILVUS_PARTITIONS", 4))
	config.HNSW.M = intVariable(t, "MNEME_MILVUS_M", 0)
	config.Exact = os.Getenv("MNEME_MILVUS_EXACT") != ""
	x, exact := opened(t, config), flat.New(dim)
	c := newCorpus(dim)
	ctx := context.Background()

	began := time.Now()
	for part := range slices.Chunk(c.records(vectors, stores), 1000) {
		for _, index := range []vector.Index{exact, x} {
			if err := index.Upsert(ctx, part); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d vectors written in %v", vectors, time.Since(began).Round(time.Millisecond))
	settle(t, x)
	efs := []int{x.config.HNSW.Ef}
	report := func(state string) {
		if measured != "" {
			efs = []int{512, 1024, 2048}
		}
		for _, ef := range efs {
			x.config.HNSW.Ef = ef
			for _, width := range []int{stores / 100, stores / 10, stores} {
				m := measure(t, c, x, exact, width, queries)
				t.Logf("%s, ef %d, %d%% of the collection: recall@10 %.4f, @200 %.4f; p50 %v p99 %v",
					state, ef, 100*width/stores, m.first, m.all, m.p50, m.p99)
				if m.all < .99 && ef >= 1024 {
					t.Errorf("%s, ef %d, %d%% of the collection: recall %.4f, want .99", state, ef, 100*width/stores, m.all)
				}
			}
		}
	}
	report("growing")
	began = time.Now()
	x.seal(t)
	t.Logf("sealed and indexed in %v", time.Since(began).Round(time.Millisecond))
	report("sealed")
}

func intVariable(t *testing.T, name string, otherwise int) int {
	t.Helper()
	if text := os.Getenv(name); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	return otherwise
}

// records makes entries of one chunk, spread evenly over stores 1 to n.
func (c *corpus) records(count, stores int) []vector.Record {
	records := make([]vector.Record, count)
	for i := range records {
		id := uuid.UUID{0: 1}
		binary.BigEndian.PutUint64(id[8:], uint64(i))
		records[i] = vector.Record{Entry: id, Store: int64(i%stores + 1), Label: acl.Public, Vector: vector.ToHalf(c.text())}
	}
	return records
}

// seal has Milvus close its growing segments and build their graphs, as it
// does on its own in time.
func (x *Index) seal(t *testing.T) {
	t.Helper()
	ctx := context.Background()
	if err := x.client.Flush(ctx, x.name, false); err != nil {
		t.Fatal(err)
	}
	within(t, 20*time.Minute, func() error {
		total, done, err := x.client.GetIndexBuildProgress(ctx, x.name, fieldVector)
		if err == nil && (total == 0 || done < total) {
			err = fmt.Errorf("%d of %d rows indexed", done, total)
		}
		return err
	})
	settle(t, x)
}

type measurement struct {
	first, all float64 // share of the true first 10 and 200 that was found
	p50, p99   time.Duration
}

func measure(t *testing.T, c *corpus, x *Index, exact *flat.Index, width, queries int) (m measurement) {
	t.Helper()
	const limit = 200
	var took []time.Duration
	for range queries {
		reaches := make([]acltest.Reach, width)
		for i, store := range c.r.Perm(1000)[:width] {
			reaches[i] = acltest.Reach{Number: int64(store + 1), Ceiling: acl.Restricted}
		}
		scope, query := acltest.Scope(t, reaches...), vector.Query{Vector: c.text(), Limit: limit}
		began := time.Now()
		got, err := x.Search(context.Background(), scope, query)
		took = append(took, time.Since(began))
		if err != nil {
			t.Fatal(err)
		}
		want, err := exact.Search(context.Background(), scope, query)
		if err != nil {
			t.Fatal(err)
		}
		m.first += share(got, want, min(10, len(want))) / float64(queries)
		m.all += share(got, want, min(limit, len(want))) / float64(queries)
	}
	slices.Sort(took)
	m.p50, m.p99 = took[len(took)/2].Round(10*time.Microsecond), took[len(took)*99/100].Round(10*time.Microsecond)
	return m
}

// share is how many of the first n wanted are among as many that were got,
// or score as well as the last of them.
func share(got, want []vector.Hit, n int) float64 {
	wanted := make(map[uuid.UUID]bool, n)
	for _, hit := range want[:n] {
		wanted[hit.Entry] = true
	}
	found := 0
	for _, hit := range got[:min(n, len(got))] {
		if wanted[hit.Entry] || hit.Score >= want[n-1].Score {
			found++
		}
	}
	return float64(found) / float64(n)
}
