package client

import (
	"bytes"
	"context"
	"encoding/json"

	"mneme/clients/go/api"
)

// Batch puts, gets and deletes entries of a store in one call, and returns the
// outcome of each item at its index. Values are sent byte for byte. The refusal of an
// item is an outcome, not an error. If atomic is set, all items succeed or none: the
// refusal of one is then an [*Error] with its index as Item. With a non-empty
// idempotencyKey, the call can be retried without repeating its effect.
func (c *Client) Batch(ctx context.Context, store string, items []api.BatchItem, atomic bool, idempotencyKey string) ([]api.BatchOutcome, error) {
	if err := checkSegments(store); err != nil {
		return nil, err
	}
	texts := make([][]byte, len(items))
	for i, item := range items {
		head := struct {
			api.BatchItem
			Value *struct{} `json:"value,omitempty"` // hides the value, which encoding/json would reformat
		}{BatchItem: item}
		var err error
		if item.Value == nil {
			texts[i], err = json.Marshal(head)
		} else {
			texts[i], err = withValue(head, item.Value)
		}
		if err != nil {
			return nil, err
		}
	}
	var params api.BatchMemoriesParams
	if idempotencyKey != "" {
		params.IdempotencyKey = &idempotencyKey
	}
	text := append([]byte(`{"items":[`), bytes.Join(texts, []byte(","))...)
	text = append(text, ']')
	if atomic {
		text = append(text, `,"atomic":true`...)
	}
	response, err := c.BatchMemoriesWithBody(ctx, store, &params, "application/json", bytes.NewReader(append(text, '}')))
	result, err := Decode[api.BatchResult](response, err)
	return result.Outcomes, err
}
