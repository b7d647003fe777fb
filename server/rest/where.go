package rest

import (
	"mneme/internal/condition"
	"mneme/memory"
	"mneme/server/rest/api"
)

// parseWhere parses a condition; nil for none.
func parseWhere[T string | api.Condition](text *T) (*condition.Condition, error) {
	if text == nil {
		return nil, nil
	}
	return memory.ParseWhere([]byte(*text))
}

// addMatch parses the exact words of a filter; nil for none.
func addMatch[T string | api.Words](to *memory.Filter, text *T) (err error) {
	if text != nil {
		to.Match, err = memory.ParseMatch([]byte(*text))
	}
	return err
}
