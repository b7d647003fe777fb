package robutler

import (
	"encoding/json"
	"errors"
	"math"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"mneme/acl"
	"mneme/memory"
	"mneme/server"
	"mneme/server/problem"
	"mneme/server/wire"
)

// query is the request's query. Parameters that a call does not know are let
// pass; one that it knows must be readable and given once.
type query struct{ values url.Values }

func parameters(c echo.Context) (query, error) {
	values, err := url.ParseQuery(c.Request().URL.RawQuery)
	if err != nil { // the message would quote it
		return query{}, problem.New(problem.Malformed, "the query cannot be read")
	}
	return query{values}, nil
}

// text is a parameter's value; "" where it is left out or empty, which is how
// some clients write what they do not have.
func (q query) text(name string) (string, error) {
	given := q.values[name]
	switch {
	case len(given) == 0:
		return "", nil
	case len(given) > 1:
		return "", problem.In(problem.Malformed, name, "is given twice")
	case !utf8.ValidString(given[0]):
		return "", problem.In(problem.Malformed, name, "must be valid UTF-8")
	}
	return given[0], nil
}

// texts reads several parameters.
func (q query) texts(into map[string]*string) error {
	for name, target := range into {
		var err error
		if *target, err = q.text(name); err != nil {
			return err
		}
	}
	return nil
}

// subject is what every call may name: the agent it believes to be, a store,
// and the chat and user that it is about.
type subject struct {
	agent, store, chat, user string
}

// subject reads it from the query. A chat or user that cannot be one is as if
// it were not named: these two never make an error.
func (q query) subject() (s subject, err error) {
	for name, target := range map[string]*string{"chatId": &s.chat, "userId": &s.user} {
		if id := q.values.Get(name); acl.CheckID(id) == nil {
			*target = id
		}
	}
	err = q.texts(map[string]*string{"agentId": &s.agent, "store": &s.store})
	return s, err
}

// resolve holds the subject against the token: the agent must be its own.
func (s subject) resolve(c echo.Context) (subject, error) {
	own := server.Principal(c.Request().Context()).Agent
	if s.store == "self" {
		s.store = own
	}
	if s.store != "" {
		if err := acl.CheckID(s.store); err != nil {
			return subject{}, problem.In(problem.Malformed, "store", err.Error())
		}
	}
	if s.agent != "" && s.agent != own {
		return subject{}, problem.In(problem.Forbidden, "agentId", "is not the token's agent")
	}
	s.agent = own
	return s, nil
}

// orOwn is the store that the request names, or else the agent's own.
func (s subject) orOwn() string {
	if s.store == "" {
		return s.agent
	}
	return s.store
}

// key is what follows the root, unescaped: a%2Fb and a/b are the same key.
func key(c echo.Context) (string, error) {
	escaped := strings.TrimPrefix(c.Request().URL.EscapedPath(), root+"/")
	name, err := url.PathUnescape(escaped)
	if err != nil {
		return "", problem.In(problem.Malformed, "key", "is not percent-encoded as it should be")
	}
	return name, nil
}

// rules let everything pass that the API's clients send: members that a call
// does not know, and nulls for members that are missing.
var rules = wire.Rules{IgnoreUnknown: true, NullIsAbsent: true}

// body reads the request's body into fields, and what it and the query say of
// whom the call is about. What the query says counts too: it is no less a claim.
func (s *Surface) body(c echo.Context, fields map[string]any) (about subject, given map[string]bool, err error) {
	r := c.Request()
	text, err := wire.ReadBody(r, s.maxBody)
	tooLarge := errors.Is(err, wire.ErrBodyTooLarge)
	if err != nil && !tooLarge {
		return subject{}, nil, err
	}
	if err := wire.CheckMediaType(r, false, wire.ContentJSON); err != nil {
		return subject{}, nil, err
	}
	if tooLarge {
		return subject{}, nil, err
	}
	var agent, store string
	fields["agentId"], fields["store"] = &agent, &store
	if given, err = rules.Decode(text, fields); err != nil {
		return subject{}, nil, wire.BodyProblem(err)
	}
	q, err := parameters(c)
	if err != nil {
		return subject{}, nil, err
	}
	if about, err = q.subject(); err != nil {
		return subject{}, nil, err
	}
	for _, named := range []struct {
		name, said string
		target     *string
	}{{"agentId", agent, &about.agent}, {"store", store, &about.store}} {
		if named.said == "" {
			continue
		}
		if *named.target != "" && *named.target != named.said {
			return subject{}, nil, problem.In(problem.Malformed, named.name, "differs between query and body")
		}
		*named.target = named.said
	}
	return about, given, nil
}

// ttlOf reads a time to live of whole seconds; nil if value is null or missing.
// JavaScript has one kind of number, so 60.0 and 6e1 are whole too. One beyond
// what a Duration holds becomes the longest, which the service refuses like any
// that is too long.
func ttlOf(value json.RawMessage) (*time.Duration, error) {
	if value == nil || string(value) == "null" {
		return nil, nil
	}
	seconds, err := strconv.ParseFloat(string(value), 64)
	if err != nil && !math.IsInf(seconds, 0) || seconds != math.Trunc(seconds) {
		return nil, problem.In(problem.Malformed, "ttl", "must be a whole number of seconds")
	}
	d := time.Duration(math.MaxInt64)
	switch most := float64(math.MaxInt64 / time.Second); {
	case seconds < 0:
		d = -1
	case seconds <= most:
		d = time.Duration(seconds) * time.Second
	}
	return &d, nil
}

// entryPath is the path of the entry that the request names.
func entryPath(c echo.Context, s subject, namespace string) (memory.Path, error) {
	name, err := key(c)
	if err != nil {
		return memory.Path{}, err
	}
	return memory.Path{Store: s.orOwn(), Namespace: namespace, Key: name}, nil
}
