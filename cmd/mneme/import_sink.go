package main

import (
	"context"
	"errors"
	"strings"

	"mneme/memory"
)

// record is one entry on its way.
type record struct {
	file string
	line int
	put  memory.PutRequest

	fields map[string]int // of a Markdown file: on which line each field is
}

// lineOf is the line that a refusal is about: that of the field it names, if
// the record knows it.
func (r *record) lineOf(reason string) int {
	for part := range strings.SplitSeq(reason, ": ") {
		switch part {
		case "key":
			part = "name"
		case "value":
			part = "body"
		}
		if line := r.fields[part]; line > 0 {
			return line
		}
	}
	return r.line
}

// sink takes entries of one agent; outcomes are in the order of records.
type sink interface {
	put(ctx context.Context, agent string, records []record) ([]outcome, error)
}

// outcome is what became of one record.
type outcome struct {
	created, unchanged bool
	refused            string // reason; "" if it was taken
}

// batch is how many lines are written in one transaction or one request.
const batch = 500

// localSink writes to the Service in this process.
type localSink struct {
	service *memory.Service
	as      callerFlags
}

func (l *localSink) put(ctx context.Context, agent string, records []record) ([]outcome, error) {
	caller, err := l.as.caller(agent)
	if err != nil {
		return nil, err
	}
	if err := l.service.RegisterCaller(ctx, caller.Principal); errors.Is(err, memory.ErrNotCaller) {
		return refuseAll(records, err), nil
	} else if err != nil {
		return nil, err
	}
	requests := make([]memory.PutRequest, len(records))
	for n, r := range records {
		requests[n] = r.put
	}
	results, err := l.service.PutAll(ctx, caller, requests)
	if err != nil {
		return nil, err
	}
	outcomes := make([]outcome, len(results))
	for n, r := range results {
		outcomes[n] = outcome{created: r.Created, unchanged: r.Unchanged}
		if r.Err != nil {
			outcomes[n].refused = r.Err.Error()
		}
	}
	return outcomes, nil
}

func refuseAll(records []record, reason error) []outcome {
	outcomes := make([]outcome, len(records))
	for n := range outcomes {
		outcomes[n].refused = reason.Error()
	}
	return outcomes
}
