package robutler

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"mneme/internal/condition"
	"mneme/memory"
	"mneme/server/problem"
	"mneme/server/wire"
)

// notesRoot is the path for notes: entries of the agent's own store, in namespaces
// that name their subject. The clients, PortalMemoryStore of PyPI's webagents and its
// TypeScript port, decide who reads which namespace.
const notesRoot = base + "memory-scoped"

// Namespaces of notes: the owner's, the shared one, and one per caller, named by the
// caller's identifier.
const (
	ownerNamespace  = "owner"
	sharedNamespace = "shared"
	callerPrefix    = "caller:"
)

// Limits of a list of notes.
const (
	defaultNotes = 50
	mostNotes    = 1000
)

// note is a note as the client reads it. Times have milliseconds: the client compares
// them as strings.
type note struct {
	ID          string `json:"id"`
	Namespace   string `json:"namespace"`
	Key         string `json:"key"`
	Content     string `json:"content"`
	Source      string `json:"source"`
	CreatedAt   string `json:"created_at"`
	UpdatedAt   string `json:"updated_at"`
	Description string `json:"description"`
}

const noteTime = "2006-01-02T15:04:05.000Z"

func stamp(t time.Time) string { return t.UTC().Format(noteTime) }

func noteOf(e *memory.Entry) note {
	return note{
		ID: noteID(e.Path), Namespace: e.Namespace, Key: e.Key, Content: contentOf(e.Value), Source: sourceOf(e.Source),
		CreatedAt: stamp(e.CreatedAt), UpdatedAt: stamp(changedAt(e)), Description: e.Description,
	}
}

// noteID is the ID that a note has on every machine, by the client's own formula: a
// UUID version 5 of store, namespace and key.
func noteID(p memory.Path) string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(p.Store+"\n"+p.Namespace+"\n"+p.Key)).String()
}

// changedAt returns when a note was written: the writer's time on its machine, if
// it sent one. OccurredAt holds that time only for versions that were written as
// notes. In a correction by another call or a restored version, OccurredAt is the
// previous note's time or the time of the described event, so changedAt returns the
// version's own time.
func changedAt(e *memory.Entry) time.Time {
	if _, ok := noteSource(e.Source); !ok || !occurred(e) {
		return e.UpdatedAt
	}
	return e.OccurredAt.Time
}

// occurred reports whether an entry has an instant at which it occurred.
func occurred(e *memory.Entry) bool { return !e.OccurredAt.IsZero() && !e.OccurredAt.Dated() }

// deletedAt returns when a note was last deleted, given its deleted versions; the zero time if
// there are none. For a deletion that a machine pushed, this is the time that the machine sent.
func deletedAt(deleted []memory.Entry) (last time.Time) {
	for i := range deleted {
		if at := deleted[i].DeletionOccurred(); at.After(last) {
			last = at
		}
	}
	return last
}

func contentOf(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return string(value)
	}
	return text
}

// sources are the possible writers of a note. The first is the default.
var sources = []string{"tool", "compaction", "owner", "sync"}

func sourceOf(source json.RawMessage) string {
	if name, ok := noteSource(source); ok {
		return name
	}
	return sources[0]
}

// noteSource returns which of sources wrote the last version of an entry, or false if
// that version was not written as a note.
func noteSource(source json.RawMessage) (name string, ok bool) {
	var l memory.Lineage
	if json.Unmarshal(source, &l) != nil || !slices.Contains(sources, l.Tool) {
		return "", false
	}
	return l.Tool, true
}

// noteNamespace checks a namespace against the client's grammar and returns it in its
// stored form.
func noteNamespace(namespace string) (string, error) {
	namespace = memory.NormalName(namespace)
	principal, ok := strings.CutPrefix(namespace, callerPrefix)
	switch {
	case namespace == ownerNamespace, namespace == sharedNamespace:
		return namespace, nil
	case !ok || principal == "" || strings.ContainsFunc(principal, func(r rune) bool { return r == ',' || unicode.IsSpace(r) }):
		return "", problem.In(problem.Malformed, "namespace", "must be owner, shared, or caller: followed by a principal without space and comma")
	}
	return namespace, memory.CheckNamespace(namespace)
}

// notePath returns the path of a note in the agent's own store.
func notePath(s subject, namespace, key string) (p memory.Path, err error) {
	if namespace, err = noteNamespace(namespace); err != nil {
		return p, err
	}
	return memory.Path{Store: s.agent, Namespace: namespace, Key: normalKey(key)}, nil
}

// note returns the path of the note that the query names.
func (q query) note(c echo.Context) (p memory.Path, err error) {
	about, err := q.ownSubject(c)
	if err != nil {
		return p, err
	}
	var namespace, key string
	if err := q.texts(map[string]*string{"namespace": &namespace, "key": &key}); err != nil {
		return p, err
	}
	return notePath(about, namespace, key)
}

// ownSubject returns the subject of a call that concerns the agent's own store.
func (q query) ownSubject(c echo.Context) (s subject, err error) {
	if s.agent, err = q.text("agentId"); err != nil {
		return s, err
	}
	return s.resolve(c)
}

// namespaces returns the condition on the namespaces that the query names, or on all
// namespaces of notes if it names none.
func (q query) namespaces() (*condition.Condition, error) {
	names := q.values["namespace"]
	if len(names) == 0 {
		return condition.Any(
			condition.Compare(condition.Namespace, condition.In, condition.Text(ownerNamespace), condition.Text(sharedNamespace)),
			condition.Compare(condition.Namespace, condition.Prefix, condition.Text(callerPrefix)),
		), nil
	}
	if len(names) > condition.MaxList {
		return nil, problem.In(problem.Malformed, "namespace", "must be at most "+strconv.Itoa(condition.MaxList))
	}
	var operands []condition.Operand
	for _, name := range names {
		if !utf8.ValidString(name) {
			return nil, problem.In(problem.Malformed, "namespace", "must be valid UTF-8")
		}
		namespace, err := noteNamespace(name)
		if err != nil {
			return nil, err
		}
		operands = append(operands, condition.Text(namespace))
	}
	return condition.Compare(condition.Namespace, condition.In, operands...), nil
}

// limit returns the parameter limit, clamped to 1 to most.
func (q query) limit(otherwise, most int) (int, error) {
	text, err := q.text("limit")
	if err != nil || text == "" {
		return otherwise, err
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, problem.In(problem.Malformed, "limit", "must be a whole number")
	}
	return min(max(n, 1), most), nil
}

// entryAnswer is the answer of a call that names a note; a nil entry means that
// there is none.
type entryAnswer struct {
	Entry *note `json:"entry"`
}

// note reads a note.
func (s *Surface) note(c echo.Context) error {
	q, err := parameters(c)
	if err != nil {
		return err
	}
	path, err := q.note(c)
	if err != nil {
		return err
	}
	var out entryAnswer
	switch found, err := s.service.Get(c.Request().Context(), visitor(c), path); {
	case err == nil:
		n := noteOf(&found.Entry)
		out.Entry = &n
	case !errors.Is(err, memory.ErrNotFound):
		return err
	}
	return answerJSON(c, out)
}

// putNote writes a note. Absent members are cleared.
func (s *Surface) putNote(c echo.Context) error {
	var n line
	about, given, err := readBody(c, s.maxNote, map[string]any{
		"namespace": &n.Namespace, "key": &n.Key, "content": &n.Content, "source": &n.Source, "at": &n.At, "description": &n.Description,
	})
	if err != nil {
		return err
	}
	if !given["content"] {
		return problem.In(problem.Malformed, "content", "is required")
	}
	if about, err = about.resolve(c); err != nil {
		return err
	}
	path, err := notePath(about, n.Namespace, n.Key)
	if err != nil {
		return err
	}
	request, err := n.put(path)
	if err != nil {
		return err
	}
	written, err := s.service.Put(c.Request().Context(), visitor(c), request)
	if err != nil {
		return err
	}
	out := noteOf(&written.Entry)
	return answerJSON(c, entryAnswer{&out})
}

// forgotten is the answer of a deletion.
type forgotten struct {
	Forgotten int `json:"forgotten"`
}

// forget deletes a note.
func (s *Surface) forget(c echo.Context) error {
	q, err := parameters(c)
	if err != nil {
		return err
	}
	path, err := q.note(c)
	if err != nil {
		return err
	}
	err = s.service.Delete(c.Request().Context(), visitor(c), path, memory.Preconditions{})
	switch {
	case errors.Is(err, memory.ErrNotFound):
		return answerJSON(c, forgotten{0})
	case err != nil:
		return err
	}
	return answerJSON(c, forgotten{1})
}

// answerJSON writes a value as the body.
func answerJSON(c echo.Context, v any) error {
	text, err := wire.Marshal(v)
	if err != nil {
		return err
	}
	return c.JSONBlob(http.StatusOK, append(text, '\n'))
}
