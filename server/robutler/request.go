package robutler

import (
	"encoding/json"
	"io"
	"math"
	"mime"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"mneme/acl"
	"mneme/memory"
	"mneme/server"
	"mneme/server/object"
	"mneme/server/problem"
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

// body is an object whose members are read one by one; those that nobody asks
// for are let pass. A null stands for a member that is missing.
type body map[string]json.RawMessage

// body reads the request's body.
func (s *Surface) body(c echo.Context) (body, error) {
	r := c.Request()
	text, err := io.ReadAll(io.LimitReader(r.Body, s.maxBody+1))
	switch {
	case r.Context().Err() != nil:
		return nil, r.Context().Err()
	case err != nil:
		return nil, problem.New(problem.Malformed, "the body could not be read to its end")
	}
	if err := checkContentType(r.Header.Get("Content-Type"), r.Header.Get("Content-Encoding")); err != nil {
		return nil, err
	}
	if int64(len(text)) > s.maxBody {
		return nil, problem.New(problem.TooLarge, "the body is too large")
	}
	members, err := object.Members(text)
	if err != nil {
		return nil, problem.New(problem.Malformed, "the body is "+err.Error())
	}
	b := make(body, len(members))
	for _, m := range members {
		b[m.Name] = m.Value
	}
	return b, nil
}

func checkContentType(contentType, encoding string) error {
	if encoding != "" && encoding != "identity" {
		return problem.New(problem.UnsupportedMediaType, "the body must not be compressed")
	}
	if contentType == "" {
		return nil
	}
	media, options, err := mime.ParseMediaType(contentType)
	if charset := options["charset"]; err != nil || media != "application/json" || charset != "" && !strings.EqualFold(charset, "utf-8") {
		return problem.New(problem.UnsupportedMediaType, "the body must be application/json in UTF-8")
	}
	return nil
}

func (b body) has(name string) bool {
	value, ok := b[name]
	return ok && string(value) != "null"
}

// text is a string; "" where it is missing.
func (b body) text(name string) (text string, err error) {
	if !b.has(name) {
		return "", nil
	}
	if object.LoneSurrogate(b[name]) {
		return "", problem.In(problem.Malformed, name, "must not hold half a surrogate pair")
	}
	if json.Unmarshal(b[name], &text) != nil {
		return "", problem.In(problem.Malformed, name, "must be a string")
	}
	return text, nil
}

// flag is a boolean; nil where it is missing.
func (b body) flag(name string) (*bool, error) {
	if !b.has(name) {
		return nil, nil
	}
	var flag bool
	if json.Unmarshal(b[name], &flag) != nil {
		return nil, problem.In(problem.Malformed, name, "must be a boolean")
	}
	return &flag, nil
}

// ttl is a time to live of whole seconds; nil where it is missing. JavaScript
// has one kind of number, so 60.0 and 6e1 are whole too. One beyond what a
// Duration holds becomes the longest, which the service refuses like any that
// is too long.
func (b body) ttl() (*time.Duration, error) {
	const name = "ttl"
	if !b.has(name) {
		return nil, nil
	}
	seconds, err := strconv.ParseFloat(string(b[name]), 64)
	if err != nil && !math.IsInf(seconds, 0) || seconds != math.Trunc(seconds) {
		return nil, problem.In(problem.Malformed, name, "must be a whole number of seconds")
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

// subject reads it from the body; what stands in the query counts too, since
// it is no less a claim.
func (b body) subject(c echo.Context) (s subject, err error) {
	q, err := parameters(c)
	if err != nil {
		return subject{}, err
	}
	if s, err = q.subject(); err != nil {
		return subject{}, err
	}
	for name, target := range map[string]*string{"agentId": &s.agent, "store": &s.store} {
		said, err := b.text(name)
		if err != nil {
			return subject{}, err
		}
		if said == "" {
			continue
		}
		if *target != "" && *target != said {
			return subject{}, problem.In(problem.Malformed, name, "differs between query and body")
		}
		*target = said
	}
	return s.resolve(c)
}

// place is the path of the entry that the request names.
func place(c echo.Context, s subject, namespace string) (memory.Path, error) {
	name, err := key(c)
	if err != nil {
		return memory.Path{}, err
	}
	return memory.Path{Store: s.orOwn(), Namespace: namespace, Key: name}, nil
}
