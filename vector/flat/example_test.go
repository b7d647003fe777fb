package flat_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/google/uuid"

	"mneme/acl"
	"mneme/vector"
	"mneme/vector/flat"
)

// owners implements acl.Facts for a simple system: every agent has one store, which has the
// agent's name, and nothing is shared.
type owners map[string]int64

func (o owners) StoreFacts(context.Context, []string) (map[string]acl.StoreFacts, error) {
	known := make(map[string]acl.StoreFacts)
	for store, number := range o {
		known[store] = acl.StoreFacts{Number: number}
	}
	return known, nil
}

func (owners) Grants(context.Context, acl.GrantQuery) ([]acl.Grant, error) { return nil, nil }

func (owners) Membership(context.Context, acl.Via, string, string) (acl.Membership, error) {
	return acl.Membership{}, nil
}

func (owners) Settings(context.Context, string) (acl.Settings, error) {
	return acl.DefaultSettings(), nil
}

// The example has an index with three entries in two stores. A search sees only the stores and
// labels of its scope. An entry is found once, by its best chunk.
func Example() {
	ctx := context.Background()
	stores := owners{"ada": 1, "bob": 2}
	tea := uuid.MustParse("0190d1f0-0000-7000-8000-000000000001")
	garden := uuid.MustParse("0190d1f0-0000-7000-8000-000000000002")
	secret := uuid.MustParse("0190d1f0-0000-7000-8000-000000000003")
	names := map[uuid.UUID]string{tea: "tea", garden: "garden", secret: "secret"}

	// Vectors have unit length. The garden has two chunks.
	index := flat.New(2)
	err := index.Upsert(ctx, []vector.Record{
		{Entry: tea, Store: stores["ada"], Label: acl.Internal, Vector: vector.ToHalf([]float32{0.6, 0.8})},
		{Entry: garden, Chunk: 0, Store: stores["ada"], Label: acl.Internal, Vector: vector.ToHalf([]float32{0, 1})},
		{Entry: garden, Chunk: 1, Store: stores["ada"], Label: acl.Internal, Vector: vector.ToHalf([]float32{0.8, 0.6})},
		{Entry: secret, Store: stores["bob"], Label: acl.Internal, Vector: vector.ToHalf([]float32{1, 0})},
	})
	if err != nil {
		log.Fatal(err)
	}

	for _, agent := range []string{"ada", "bob"} {
		scope, err := acl.NewScope(ctx, stores, acl.Principal{Agent: agent, Taint: acl.Internal}, acl.ScopeRequest{}, time.Now())
		if err != nil {
			log.Fatal(err)
		}
		hits, err := index.Search(ctx, scope, vector.Query{Vector: []float32{1, 0}, Limit: 10})
		if err != nil {
			log.Fatal(err)
		}
		for _, hit := range hits {
			fmt.Printf("%s finds %s (%.2f)\n", agent, names[hit.Entry], hit.Score)
		}
	}
	// Output:
	// ada finds garden (0.80)
	// ada finds tea (0.60)
	// bob finds secret (1.00)
}
