package rest

import (
	"mneme/internal/condition"
	"mneme/memory"
)

// parseWhere parses a condition; nil for none.
func parseWhere[T string | Condition](text *T) (*condition.Condition, error) {
	if text == nil {
		return nil, nil
	}
	return memory.ParseWhere([]byte(*text))
}

// addMatch parses the exact words of a filter; nil for none.
func addMatch[T string | Words](to *memory.Filter, text *T) (err error) {
	if text != nil {
		to.Match, err = memory.ParseMatch([]byte(*text))
	}
	return err
}
