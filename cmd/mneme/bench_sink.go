package main

import (
	"context"

	"mneme/memory"
)

// batch is how many entries of a benchmark are written in one transaction.
const batch = 500

// localSink writes the entries of benchmarks to a Service.
type localSink struct {
	service *memory.Service
	as      callerFlags
}

// hand writes records, each by its store's own agent.
func (i *importing) hand(ctx context.Context, to *localSink, records []record) error {
	requests := make(map[string][]memory.PutRequest)
	for _, r := range records {
		requests[r.put.Path.Store] = append(requests[r.put.Path.Store], r.put)
	}
	for store, puts := range requests {
		caller, err := to.as.caller(store)
		if err != nil {
			return err
		}
		outcomes, err := to.service.PutAll(ctx, caller, puts)
		if err != nil {
			return err
		}
		for _, o := range outcomes {
			if o.Err != nil {
				i.refuse("", 0, o.Err.Error())
			}
		}
	}
	return nil
}
