package robutler

import (
	"bufio"
	"errors"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"mneme/internal/fairqueue"
	"mneme/memory"
	"mneme/server"
	"mneme/server/problem"
	"mneme/server/wire"
)

// listTurns bounds the concurrent lists of an agent: each holds its keys in memory until its
// client has read the answer. The total over all agents is unbounded, or slow readers would
// block everybody.
var listTurns = fairqueue.Limits{Running: math.MaxInt32, RunningEach: 4, Waiting: math.MaxInt32, WaitingEach: 64}

// list answers with all keys of a store. The API has no pages, so the
// answer is written while the store is read, and only the keys stay in
// memory.
func (s *Surface) list(c echo.Context) error {
	request, hidden, err := listing(c)
	if err != nil {
		return err
	}
	ctx, caller := c.Request().Context(), visitor(c)
	done, err := s.lists.Enter(ctx, caller.Agent, 1)
	if errors.Is(err, fairqueue.ErrFull) {
		return &problem.Problem{Kind: problem.RateLimited, Detail: "too many lists of this agent at a time", Limit: "lists", RetryAfter: time.Second}
	}
	if err != nil {
		return err
	}
	defer done()
	if _, err := server.Judge(ctx, true); err != nil { // it may have waited for long
		return err
	}
	page, err := s.service.List(ctx, caller, request)
	if err != nil {
		return err
	}
	if hidden { // entries that are not in context are never listed
		page = memory.Page{}
	}
	h := c.Response().Header()
	h.Set(echo.HeaderContentType, echo.MIMEApplicationJSON)
	c.Response().WriteHeader(http.StatusOK)
	out := &listed{w: bufio.NewWriterSize(c.Response(), 32<<10)}
	for {
		if err := out.add(page.Items); err != nil {
			return err
		}
		if page.Next == "" {
			return out.end()
		}
		request.Cursor = page.Next
		// An error from here on aborts the connection, so that a client cannot
		// take a partial list for a complete one. A slow reader may outlive the
		// token.
		if _, err = server.Judge(ctx, true); err != nil {
			return err
		}
		if page, err = s.service.List(ctx, caller, request); err != nil {
			return err
		}
	}
}

// listing parses the request of a list. hidden reports whether it asks for
// entries that are not in context.
func listing(c echo.Context) (request memory.ListRequest, hidden bool, err error) {
	q, err := parameters(c)
	if err != nil {
		return request, false, err
	}
	var namespace, inContext string
	if err := q.texts(map[string]*string{"prefix": &request.Prefix, "namespace": &namespace, "inContext": &inContext}); err != nil {
		return request, false, err
	}
	switch inContext {
	case "", "true":
	case "false":
		hidden = true
	default:
		return request, false, problem.In(problem.Malformed, "inContext", "must be true or false")
	}
	about, err := q.subject()
	if err != nil {
		return request, false, err
	}
	if about, err = about.resolve(c); err != nil {
		return request, false, err
	}
	if _, given := q.values["namespace"]; given {
		request.Filter.Namespace = &namespace
	}
	request.Prefix = normalPrefix(request.Prefix)
	request.Store, request.Limit, request.WithoutText = about.orOwn(), wire.MaxPage, true
	return request, hidden, nil
}

// listed writes the answer of a list: the entries while they are read, then
// the keys.
type listed struct {
	w    *bufio.Writer
	keys []string
}

func (l *listed) add(items []memory.Found) error {
	for i := range items {
		start := ","
		if len(l.keys) == 0 {
			start = `{"entries":[`
		}
		l.keys = append(l.keys, items[i].Key)
		text, err := wire.Marshal(entryOf(&items[i].Entry))
		if err != nil {
			return err
		}
		if _, err := l.w.WriteString(start); err != nil {
			return err
		}
		if _, err := l.w.Write(text); err != nil {
			return err
		}
	}
	return nil
}

// end writes each key once: several namespaces may have the same key. It encodes one
// key at a time, so that the encoded list is never in memory as a whole.
func (l *listed) end() error {
	start := `],"keys":[`
	if len(l.keys) == 0 {
		start = `{"entries":[],"keys":[`
	}
	if _, err := l.w.WriteString(start); err != nil {
		return err
	}
	slices.Sort(l.keys)
	for i, key := range slices.Compact(l.keys) {
		text, err := wire.Marshal(key)
		if err != nil {
			return err
		}
		if i > 0 {
			text = append([]byte{','}, text...)
		}
		if _, err := l.w.Write(text); err != nil {
			return err
		}
	}
	if _, err := l.w.WriteString("]}\n"); err != nil {
		return err
	}
	return l.w.Flush()
}
