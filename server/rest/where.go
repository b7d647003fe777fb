package rest

import (
	"mneme/condition"
	"mneme/memory"
)

// parseWhere parses a condition; nil for none.
func parseWhere[T string | Condition](text *T) (*condition.Condition, error) {
	if text == nil {
		return nil, nil
	}
	return memory.ParseWhere([]byte(*text))
}
