package rest

import (
	"context"
	"fmt"
	"net/http"

	"mneme/memory"
	"mneme/server/problem"
)

const (
	// defaultHits is how many hits an answer has unless the question says.
	defaultHits = 10
	// maxStores bounds how many stores a question may name.
	maxStores = 1000
)

// Search answers a question.
func (s *Surface) Search(ctx context.Context, r SearchRequestObject) (SearchResponseObject, error) {
	var stores []string
	if r.Body.Stores != nil {
		for _, name := range *r.Body.Stores {
			id, err := storeID(ctx, "stores", name)
			if err != nil {
				return nil, err
			}
			stores = append(stores, id)
		}
		// No stores named is not the same as none asked for.
		if len(stores) < 1 || len(stores) > maxStores {
			return nil, problem.In(problem.Rule, "stores", fmt.Sprintf("must name 1 to %d stores, or be left out", maxStores))
		}
	}
	answer, err := s.service.Search(ctx, caller(ctx), memory.SearchRequest{
		Query: r.Body.Query, Stores: stores,
		Filter: memory.Filter{Namespace: r.Body.Namespace, Tags: or(r.Body.Tags, nil), Type: or(r.Body.Type, "")},
		Limit:  or(r.Body.Limit, defaultHits), Explain: or(r.Body.Explain, false),
	})
	if err != nil {
		return nil, err
	}
	s.metrics.Search(answer)
	body, err := encodeAnswer(answer)
	return reply{status: http.StatusOK, body: body}, err
}
