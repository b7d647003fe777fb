package rerank

import (
	"encoding/json"
	"fmt"
)

// form encodes requests and decodes answers in one Shape.
type form struct {
	batch   int // texts per request
	request func(c Config, query string, texts []string) any
	// results returns the items of an answer, in any order.
	results func(answer []byte) ([]item, error)
}

// item is one text of an answer.
type item struct {
	Index *int     `json:"index"`
	Score *float64 `json:"score"`
}

var forms = map[Shape]form{
	Cohere: {batch: 1000, request: documents, results: relevanceScores},
	Jina:   {batch: 1000, request: documents, results: relevanceScores},
	TEI: {
		batch: 32, // --max-client-batch-size, unless it is set
		request: func(c Config, query string, texts []string) any {
			return map[string]any{"query": query, "texts": texts, "raw_scores": c.Scores == Logit, "return_text": false, "truncate": true}
		},
		results: func(answer []byte) (items []item, err error) {
			return items, json.Unmarshal(answer, &items)
		},
	},
}

// documents returns the request of Cohere and Jina. Jina's answers include the documents since
// its second version, unless return_documents is false. Cohere's never do, and Cohere does not
// know this option.
func documents(c Config, query string, texts []string) any {
	request := map[string]any{"model": c.Model, "query": query, "documents": texts, "top_n": len(texts)}
	if c.Shape == Jina {
		request["return_documents"] = false
	}
	return request
}

// relevanceScores reads an answer of Cohere or Jina.
func relevanceScores(answer []byte) ([]item, error) {
	var read struct {
		Results []struct {
			Index *int     `json:"index"`
			Score *float64 `json:"relevance_score"`
		} `json:"results"`
	}
	if err := json.Unmarshal(answer, &read); err != nil {
		return nil, err
	}
	items := make([]item, len(read.Results))
	for i, r := range read.Results {
		items[i] = item(r)
	}
	return items, nil
}

// inOrder returns the scores of an answer in the order of the request's texts, given their
// number.
func inOrder(items []item, texts int) ([]float64, error) {
	if len(items) != texts {
		return nil, fmt.Errorf("%w: %d scores for %d texts", ErrAnswer, len(items), texts)
	}
	scores, seen := make([]float64, texts), make([]bool, texts)
	for _, one := range items {
		switch {
		case one.Index == nil || one.Score == nil:
			return nil, fmt.Errorf("%w: a result without index or score", ErrAnswer)
		case *one.Index < 0 || *one.Index >= texts:
			return nil, fmt.Errorf("%w: index %d of %d texts", ErrAnswer, *one.Index, texts)
		case seen[*one.Index]:
			// There are as many scores as texts, so a duplicate means that another text has no
			// score.
			return nil, fmt.Errorf("%w: duplicate index %d", ErrAnswer, *one.Index)
		}
		scores[*one.Index], seen[*one.Index] = *one.Score, true
	}
	return scores, nil
}
