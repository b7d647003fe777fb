package rest

import (
	"strconv"

	"mneme/internal/condition"
	"mneme/memory"
	"mneme/server/problem"
	"mneme/server/rest/api"
)

// maxURLCondition bounds a condition in a URL, in bytes before percent-encoding: the server
// holds the URL of a request in memory before it knows the client. In a body, a condition may
// have its full length.
const maxURLCondition = 8192

// checkURLCondition checks the length of a condition that is from a URL.
func checkURLCondition[T string | api.Condition](name string, text T) error {
	if url, ok := any(text).(string); ok && len(url) > maxURLCondition {
		return problem.In(problem.Rule, name, "must have at most "+strconv.Itoa(maxURLCondition)+" bytes in a URL")
	}
	return nil
}

// parseWhere parses a condition; nil for none.
func parseWhere[T string | api.Condition](text *T) (*condition.Condition, error) {
	if text == nil {
		return nil, nil
	}
	if err := checkURLCondition("where", *text); err != nil {
		return nil, err
	}
	return memory.ParseWhere([]byte(*text))
}

// addMatch parses the exact words of a filter; nil means none.
func addMatch[T string | api.Words](to *memory.Filter, text *T) (err error) {
	if text == nil {
		return nil
	}
	if err := checkURLCondition("match", *text); err != nil {
		return err
	}
	to.Match, err = memory.ParseMatch([]byte(*text))
	return err
}
