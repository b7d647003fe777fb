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

// query is the request's query. Unknown parameters are ignored; a known one must
// be valid UTF-8 and not repeated.
type query struct{ values url.Values }

func parameters(c echo.Context) (query, error) {
	values, err := url.ParseQuery(c.Request().URL.RawQuery)
	if err != nil { // its text would quote the query
		return query{}, problem.New(problem.Malformed, "the query cannot be decoded")
	}
	return query{values}, nil
}

// text returns a parameter, or "" if it is absent or empty; some clients
// send an empty parameter for an unknown value.
func (q query) text(name string) (string, error) {
	given := q.values[name]
	switch {
	case len(given) == 0:
		return "", nil
	case len(given) > 1:
		return "", problem.In(problem.Malformed, name, "must be given once")
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

// subject holds the parameters that every call accepts: the agent as which the client acts, a
// store, a chat and a user.
type subject struct {
	agent, store, chat, user string
}

// subject reads the subject from the query. An invalid chat or user is ignored:
// these two never cause an error.
func (q query) subject() (s subject, err error) {
	for name, target := range map[string]*string{"chatId": &s.chat, "userId": &s.user} {
		if id := q.values.Get(name); acl.CheckID(id) == nil {
			*target = id
		}
	}
	err = q.texts(map[string]*string{"agentId": &s.agent, "store": &s.store})
	return s, err
}

// resolve checks the subject: the agent must be the token's.
func (s subject) resolve(c echo.Context) (subject, error) {
	own := server.Principal(c.Request().Context()).Agent
	if s.store == "self" || s.store == "default" {
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

// orOwn returns the store that the request names, or else the agent's own.
func (s subject) orOwn() string {
	if s.store == "" {
		return s.agent
	}
	return s.store
}

// key returns the key in the URL path after the root: a%2Fb and a/b are the same
// key.
func key(c echo.Context) (string, error) {
	escaped := strings.TrimPrefix(c.Request().URL.EscapedPath(), root+"/")
	name, err := url.PathUnescape(escaped)
	if err != nil {
		return "", problem.In(problem.Malformed, "key", "has an invalid percent-encoding")
	}
	return normalKey(name), nil
}

// rules accept the input of the API's clients: unknown members, and null
// for absent ones.
var rules = wire.Rules{IgnoreUnknown: true, NullIsAbsent: true}

// body decodes the request's body into fields, and returns the subject that
// body and query name. Both are checked against the token.
func (s *Surface) body(c echo.Context, fields map[string]any) (about subject, given map[string]bool, err error) {
	return readBody(c, s.maxBody, fields)
}

// readBody is body with a limit in bytes.
func readBody(c echo.Context, most int64, fields map[string]any) (about subject, given map[string]bool, err error) {
	r := c.Request()
	text, err := wire.ReadBody(r, most)
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
	for _, field := range []struct {
		name, value string
		target      *string // from the query
	}{{"agentId", agent, &about.agent}, {"store", store, &about.store}} {
		if field.value == "" {
			continue
		}
		if *field.target != "" && *field.target != field.value {
			return subject{}, nil, problem.In(problem.Malformed, field.name, "differs between query and body")
		}
		*field.target = field.value
	}
	return about, given, nil
}

// ttlOf parses a time to live in seconds and rounds it up to whole ones; nil if value
// is null or absent. A value that overflows becomes the longest Duration, which the
// service refuses as too long.
func ttlOf(value json.RawMessage) (*time.Duration, error) {
	if value == nil || string(value) == "null" {
		return nil, nil
	}
	seconds, err := strconv.ParseFloat(string(value), 64)
	if err != nil && !math.IsInf(seconds, 0) {
		return nil, problem.In(problem.Malformed, "ttl", "must be a number of seconds")
	}
	if seconds > 0 {
		seconds = math.Ceil(seconds)
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

// entryPath returns the path of the entry that the request names.
func entryPath(c echo.Context, s subject, namespace string) (memory.Path, error) {
	name, err := key(c)
	if err != nil {
		return memory.Path{}, err
	}
	return memory.Path{Store: s.orOwn(), Namespace: namespace, Key: name}, nil
}
