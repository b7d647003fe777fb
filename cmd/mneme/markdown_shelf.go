package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"mneme/acl"
	"mneme/memory"
)

// shelf is a store as one agent reaches it: in this process or on a server.
type shelf interface {
	// entries yields what the agent can list, by namespace and key.
	entries(ctx context.Context, yield func(*memory.Entry) error) error
	// trash yields the deleted entries that it may restore, latest deletion
	// first: none to who cannot write.
	trash(ctx context.Context, yield func(*memory.Entry) error) error
	// bury writes a new entry and deletes it. refused is why it did not; an
	// entry that stands there already is not touched.
	bury(ctx context.Context, put memory.PutRequest) (refused string, err error)
	// discard deletes an entry.
	discard(ctx context.Context, path memory.Path) (refused string, err error)
}

// inTheWay refuses a deleted entry where a live one is.
const inTheWay = "an entry stands at this name now, so that the deleted one cannot be put there"

// localShelf reads and writes in this process.
type localShelf struct {
	service *memory.Service
	caller  memory.Caller
	store   string
}

func (l *localShelf) entries(ctx context.Context, yield func(*memory.Entry) error) error {
	return l.service.Export(ctx, l.caller, l.store, func(found memory.Found) error { return yield(&found.Entry) })
}

func (l *localShelf) trash(ctx context.Context, yield func(*memory.Entry) error) error {
	cursor := ""
	for {
		page, err := l.service.Trash(ctx, l.caller, l.store, 100, cursor)
		if errors.Is(err, acl.ErrDenied) {
			return nil
		}
		if err != nil {
			return err
		}
		for i := range page.Items {
			if err := yield(&page.Items[i].Entry); err != nil {
				return err
			}
		}
		if cursor = page.Next; cursor == "" {
			return nil
		}
	}
}

func (l *localShelf) bury(ctx context.Context, put memory.PutRequest) (string, error) {
	outcomes, err := l.service.PutAll(ctx, l.caller, []memory.PutRequest{put})
	if err != nil {
		return "", err
	}
	switch o := outcomes[0]; {
	case errors.Is(o.Err, memory.ErrPrecondition):
		return inTheWay, nil
	case o.Err != nil:
		return o.Err.Error(), nil
	case !o.Created:
		return inTheWay, nil
	default:
		return l.remove(ctx, put.Path, memory.Preconditions{Match: []string{o.ETag}})
	}
}

func (l *localShelf) discard(ctx context.Context, path memory.Path) (string, error) {
	return l.remove(ctx, path, memory.Preconditions{})
}

func (l *localShelf) remove(ctx context.Context, path memory.Path, conditions memory.Preconditions) (string, error) {
	err := l.service.Delete(ctx, l.caller, path, conditions)
	for _, refusal := range []error{acl.ErrDenied, memory.ErrNotFound, memory.ErrConflict, memory.ErrPrecondition} {
		if errors.Is(err, refusal) {
			return err.Error(), nil
		}
	}
	return "", err
}

// remoteShelf reads and writes on a server.
type remoteShelf struct {
	server *remote
	agent  string
	store  string
}

func (r *remoteShelf) at(path string) string { return "v1/stores/" + url.PathEscape(r.store) + path }

func (r *remoteShelf) entries(ctx context.Context, yield func(*memory.Entry) error) error {
	body, err := r.server.call(ctx, r.agent, http.MethodGet, r.at("/export"), "", nil)
	if err != nil {
		return err
	}
	defer body.Close()
	lines := json.NewDecoder(body)
	for {
		var line exportLine
		if err := lines.Decode(&line); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("server %s: its export broke off or cannot be read", r.server.base.Host)
		}
		if err := yield(line.entry()); err != nil {
			return err
		}
	}
}

func (r *remoteShelf) trash(ctx context.Context, yield func(*memory.Entry) error) error {
	cursor := ""
	for {
		query := url.Values{"limit": {"100"}}
		if cursor != "" {
			query.Set("cursor", cursor)
		}
		body, err := r.server.call(ctx, r.agent, http.MethodGet, r.at("/trash?"+query.Encode()), "", nil)
		if statusOf(err) == http.StatusForbidden {
			return nil
		}
		if err != nil {
			return err
		}
		var page struct {
			Items []exportLine
			Next  string `json:"next_cursor"`
		}
		err = json.NewDecoder(body).Decode(&page)
		body.Close()
		if err != nil {
			return fmt.Errorf("server %s: its trash cannot be read", r.server.base.Host)
		}
		for i := range page.Items {
			if err := yield(page.Items[i].entry()); err != nil {
				return err
			}
		}
		if cursor = page.Next; cursor == "" {
			return nil
		}
	}
}

func (r *remoteShelf) bury(ctx context.Context, put memory.PutRequest) (string, error) {
	outcomes, err := r.server.put(ctx, r.agent, []record{{put: put}})
	if err != nil {
		return "", err
	}
	switch o := outcomes[0]; {
	case o.refused != "":
		return o.refused, nil
	case !o.created:
		return inTheWay, nil
	default:
		return r.discard(ctx, put.Path)
	}
}

func (r *remoteShelf) discard(ctx context.Context, path memory.Path) (string, error) {
	place := r.at("/memories/" + url.PathEscape(path.Key) + "?" + url.Values{"namespace": {path.Namespace}}.Encode())
	body, err := r.server.call(ctx, r.agent, http.MethodDelete, place, "", nil)
	switch statusOf(err) {
	case http.StatusForbidden, http.StatusNotFound, http.StatusConflict:
		return err.Error(), nil
	}
	if err != nil {
		return "", err
	}
	return "", body.Close()
}

// statusOf is the status that a server refused a call with; 0 if it did not.
func statusOf(err error) int {
	var refused *statusError
	if errors.As(err, &refused) {
		return refused.status
	}
	return 0
}
