package main

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"mneme/acl"
	client "mneme/clients/go"
	"mneme/clients/go/api"
	"mneme/memory"
)

// requestLines is the number of lines per import request. A server lists this many
// refusals, so no line is refused unnoticed.
const requestLines = 1000

// record is one entry to import.
type record struct {
	file string
	line int
	// place is the entry's path in a JSON document; "" if the line number identifies it.
	place string
	put   memory.PutRequest

	fields map[string]int // line numbers of the fields of a Markdown file
	isPart bool           // whether it is part of a conversation or a document
	isBack bool           // whether its file was moved back from the trash of its folder
}

// at returns a reason with the record's path.
func (r *record) at(reason string) string {
	if r.place == "" {
		return reason
	}
	return r.place + ": " + reason
}

// lineOf returns the line of a refusal: the line of the field that reason names, or else
// of the record.
func (r *record) lineOf(reason string) int {
	for part := range strings.SplitSeq(reason, ": ") {
		switch part {
		case "key":
			part = "name"
		case "value":
			part = "body"
		case "ttl":
			part = "expires_at"
		}
		if line := r.fields[part]; line > 0 {
			return line
		}
	}
	return r.line
}

// send writes records with one request per agent and store. Requests may reorder records,
// but not those with the same path: if there are several agents, each writes only its own
// store.
func (i *importing) send(ctx context.Context, to *connection, records []record) error {
	var targets []target
	of := make(map[target][]record)
	for _, r := range records {
		at := target{agent: i.as.agent, store: r.put.Path.Store}
		if at.agent == "" {
			at.agent = at.store
		}
		if of[at] == nil {
			targets = append(targets, at)
		}
		of[at] = append(of[at], r)
	}
	for _, at := range targets {
		if acl.CheckID(at.store) != nil {
			i.refuseAll(of[at], "store: "+acl.ErrBadID.Error())
			continue
		}
		as, err := to.client(at.agent)
		if err != nil {
			return err
		}
		if err := i.sendTo(ctx, as, at, of[at]); err != nil {
			status := client.StatusOf(err)
			// A server in this process refuses the command's own token only if the agent's
			// name is the ID of a chat. Then only the lines of this agent are refused.
			if status != http.StatusForbidden && (status != http.StatusUnauthorized || !to.local()) {
				return to.failure(err)
			}
			i.refuseAll(of[at], to.failure(err).Error())
		}
	}
	return nil
}

// sendTo writes records to one store.
func (i *importing) sendTo(ctx context.Context, as *client.Client, at target, records []record) error {
	records, err := i.leaveDeleted(ctx, &entrySource{client: as, store: at.store}, at.agent, records)
	if err != nil || len(records) == 0 {
		return err
	}
	result, err := as.Import(ctx, at.store, func(yield func(api.ImportLine, error) bool) {
		for _, r := range records {
			if !yield(importLine(r.put), nil) {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	if result.Created+result.Updated+result.Unchanged+result.Refused != len(records) || len(result.Refusals) != result.Refused {
		return errMiscounted
	}
	for _, refusal := range result.Refusals {
		if refusal.Line < 1 || refusal.Line > len(records) {
			return errMiscounted
		}
	}
	i.counts.Created += int64(result.Created)
	i.counts.Updated += int64(result.Updated)
	i.counts.Unchanged += int64(result.Unchanged)
	for _, refusal := range result.Refusals {
		r, reason := records[refusal.Line-1], reasonOf(refusal)
		i.refuse(r.file, r.lineOf(reason), r.at(reason))
	}
	return nil
}

// errMiscounted reports an answer that does not account for every line sent.
var errMiscounted = errors.New("the server's answer does not account for every line sent")

// reasonOf returns the reason of a refusal.
func reasonOf(r api.Refusal) string {
	if r.Detail != nil {
		return *r.Detail
	}
	return r.Title
}

func (i *importing) refuseAll(records []record, reason string) {
	for _, r := range records {
		i.refuse(r.file, r.line, r.at(reason))
	}
}

func (i *importing) refuse(file string, line int, reason string) {
	i.counts.Refused = append(i.counts.Refused, refusal{File: file, Line: line, Reason: reason})
}

// importLine converts a write to a line of an import.
func importLine(put memory.PutRequest) api.ImportLine {
	line := api.ImportLine{
		Key: put.Path.Key, Value: put.Value, Type: put.Type, Description: put.Description, Tags: put.Tags,
		InContext: put.InContext, Encrypted: put.Encrypted, ExpiresAt: put.ExpiresAt, OccurredAt: put.OccurredAt,
	}
	if put.Path.Namespace != "" {
		line.Namespace = &put.Path.Namespace
	}
	if put.TTL != nil {
		ttl := int64(put.TTL.Round(time.Second) / time.Second)
		line.TTL = &ttl
	}
	if put.Source != nil {
		line.Source = &put.Source
	}
	return line
}
