package robutler

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/labstack/echo/v4"

	"mneme/memory"
	"mneme/server"
	"mneme/server/problem"
	"mneme/server/wire"
)

// line is a change of a note, as machines exchange it.
type line struct {
	Op          string `json:"op"` // opPut or opDelete
	ID          string `json:"id"`
	Namespace   string `json:"namespace"`
	Key         string `json:"key"`
	Content     string `json:"content,omitempty"`
	Description string `json:"description,omitempty"`
	Source      string `json:"source,omitempty"`
	At          string `json:"at"`
}

const (
	opPut    = "put"
	opDelete = "delete"
)

// Limits of a synchronisation.
const (
	pullPage = 100 // changes of an answer
	maxLines = 5000
	maxPush  = 10_000_000 // bytes
	// maxRaces bounds how often a line is retried because a concurrent writer
	// changed the note.
	maxRaces = 3
)

// put returns the request that writes the note of a line.
func (l *line) put(path memory.Path) (r memory.PutRequest, err error) {
	source := l.Source
	if !slices.Contains(sources, source) { // changedAt recognizes notes by their source
		source = sources[0]
	}
	plain, description, at := false, oneLine(l.Description), l.At
	if _, err := l.time(); err != nil {
		at = "" // the time of the write
	}
	r = memory.PutRequest{Path: path, Description: &description, OccurredAt: &at, Encrypted: &plain}
	if r.Value, err = wire.Marshal(l.Content); err != nil {
		return r, err
	}
	r.Source, err = wire.Marshal(memory.Lineage{Tool: source})
	return r, err
}

// errNoTime reports that a line has no time.
var errNoTime = errors.New("no time")

// time returns when the note was changed.
func (l *line) time() (time.Time, error) {
	m, err := memory.ParseMoment(l.At)
	if err != nil || m.IsZero() || m.Dated() {
		return time.Time{}, errNoTime
	}
	return m.Time.Truncate(time.Millisecond), nil
}

// oneLine turns a text into a description: one line of at most
// memory.MaxDescription characters.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return r
	}, text)
	words := []rune(strings.Join(strings.Fields(text), " "))
	if len(words) > memory.MaxDescription {
		words = append(words[:memory.MaxDescription-1], '…')
	}
	return string(words)
}

// pulled is the answer of a pull.
type pulled struct {
	Lines  []line `json:"lines"`
	Cursor string `json:"cursor"`
	More   bool   `json:"more"` // the next page can be had at once
}

// A cursor of a pull is FEED or FEED/LIST. FEED is the cursor of the change feed.
// LIST is the cursor of the initial list of notes, while it is not complete. An
// unknown cursor starts over, as the client expects.

// pull answers with the changes in a namespace since a cursor, or with all notes
// without one.
func (s *Surface) pull(c echo.Context) error {
	q, err := parameters(c)
	if err != nil {
		return err
	}
	about, err := q.ownSubject(c)
	if err != nil {
		return err
	}
	var namespace, since string
	if err := q.texts(map[string]*string{"namespace": &namespace, "since": &since}); err != nil {
		return err
	}
	if namespace, err = noteNamespace(namespace); err != nil {
		return err
	}
	p := puller{s, visitor(c), about.agent, namespace}
	out, err := p.page(c.Request().Context(), since)
	if since != "" && (errors.Is(err, memory.ErrFeed) || errors.Is(err, memory.ErrCursor)) {
		out, err = p.page(c.Request().Context(), "")
	}
	if err != nil {
		return err
	}
	return answerJSON(c, out)
}

// puller reads the changes of a namespace.
type puller struct {
	*Surface
	caller           memory.Caller
	store, namespace string
}

func (p *puller) page(ctx context.Context, since string) (pulled, error) {
	feed, list, listing := strings.Cut(since, "/")
	if since == "" {
		start, err := p.service.Changes(ctx, p.caller, memory.ChangesRequest{Store: p.store, Limit: 1})
		if err != nil {
			return pulled{}, err
		}
		feed, listing = start.Next, true
	}
	if listing {
		return p.list(ctx, feed, list)
	}
	return p.changes(ctx, feed)
}

// list returns a page of the existing notes.
func (p *puller) list(ctx context.Context, feed, cursor string) (pulled, error) {
	page, err := p.service.List(ctx, p.caller, memory.ListRequest{
		Store: p.store, Filter: memory.Filter{Namespace: &p.namespace}, Limit: pullPage, Cursor: cursor,
	})
	if err != nil {
		return pulled{}, err
	}
	out := pulled{Lines: []line{}, Cursor: feed}
	for i := range page.Items {
		out.Lines = append(out.Lines, putLine(&page.Items[i].Entry))
	}
	if page.Next != "" {
		out.Cursor, out.More = feed+"/"+page.Next, true
	}
	return out, nil
}

// changes returns a page of the changes since a cursor of the feed.
func (p *puller) changes(ctx context.Context, feed string) (pulled, error) {
	page, err := p.service.Changes(ctx, p.caller, memory.ChangesRequest{Store: p.store, Since: feed, Limit: pullPage})
	if err != nil {
		return pulled{}, err
	}
	out := pulled{Lines: []line{}, Cursor: page.Next, More: len(page.Changes) > 0}
	for _, change := range page.Changes {
		if change.Namespace != p.namespace {
			continue
		}
		path := memory.Path{Store: p.store, Namespace: change.Namespace, Key: change.Key}
		switch found, err := p.service.Get(ctx, p.caller, path); {
		case err == nil:
			out.Lines = append(out.Lines, putLine(&found.Entry))
		case errors.Is(err, memory.ErrNotFound):
			deleted, err := p.trashed(ctx, p.caller, path)
			if err != nil {
				return pulled{}, err
			}
			at := change.At
			if slices.ContainsFunc(deleted, func(e memory.Entry) bool { return !e.DeletedAt.Before(at) }) { // the deletion was not of a later note
				at = deletedAt(deleted)
			}
			out.Lines = append(out.Lines, line{Op: opDelete, ID: noteID(path), Namespace: path.Namespace, Key: path.Key, At: stamp(at)})
		default:
			return pulled{}, err
		}
	}
	return out, nil
}

func putLine(e *memory.Entry) line {
	n := noteOf(e)
	return line{Op: opPut, ID: n.ID, Namespace: n.Namespace, Key: n.Key, Content: n.Content, Description: n.Description, Source: n.Source, At: n.UpdatedAt}
}

// pushed is the answer of a push.
type pushed struct {
	Applied int `json:"applied"` // the lines that were newer than the stored notes
}

// push applies a machine's changes: the latest version of each note wins, by the
// times that the machines send. A line that cannot be applied is skipped; the client
// skips such lines of a pull too.
func (s *Surface) push(c echo.Context) error {
	var namespace string
	var list json.RawMessage
	about, _, err := readBody(c, maxPush, map[string]any{"namespace": &namespace, "lines": &list})
	if err != nil {
		return err
	}
	if about, err = about.resolve(c); err != nil {
		return err
	}
	if namespace, err = noteNamespace(namespace); err != nil {
		return err
	}
	var lines []line
	if json.Unmarshal(wire.FirstElements(list, maxLines+1), &lines) != nil {
		return problem.In(problem.Malformed, "lines", "must be a list of changes")
	}
	if len(lines) > maxLines {
		return problem.In(problem.TooLarge, "lines", "must be at most "+strconv.Itoa(maxLines))
	}
	p := pusher{Surface: s, caller: visitor(c), about: about, namespace: namespace}
	var out pushed
	for i := range lines {
		applied, err := p.apply(c.Request().Context(), &lines[i])
		if err != nil {
			return err
		}
		if applied {
			out.Applied++
		}
	}
	return answerJSON(c, out)
}

// pusher applies the changes of a machine to a namespace.
type pusher struct {
	*Surface
	caller    memory.Caller
	about     subject
	namespace string
	writes    int   // lines that were charged
	charged   *line // the last of them
}

// charge counts a line that writes as one request, once. The first line was counted as the
// push. A refused client repeats all of its lines: lines that were applied or write nothing
// are then free, so that every attempt gets further.
func (p *pusher) charge(ctx context.Context, l *line) error {
	if p.charged == l {
		return nil
	}
	p.charged = l
	if p.writes++; p.writes == 1 {
		return nil
	}
	return server.Charge(ctx, 1)
}

// apply applies a line if it is newer than the stored note, and reports whether it did.
func (p *pusher) apply(ctx context.Context, l *line) (applied bool, err error) {
	at, err := l.time()
	if err != nil || l.Namespace != "" && memory.NormalName(l.Namespace) != p.namespace || l.Op != opPut && l.Op != opDelete {
		return false, nil
	}
	path, err := notePath(p.about, p.namespace, l.Key)
	if err != nil {
		return false, nil //nolint:nilerr // passed by
	}
	for range maxRaces {
		applied, err = p.applyOnce(ctx, l, path, at)
		if !errors.Is(err, memory.ErrPrecondition) {
			break
		}
	}
	var broken *memory.RuleError
	if errors.As(err, &broken) || errors.Is(err, memory.ErrConflict) { // a retry would fail too
		return false, nil
	}
	return applied, err
}

func (p *pusher) applyOnce(ctx context.Context, l *line, path memory.Path, at time.Time) (applied bool, err error) {
	found, err := p.service.Get(ctx, p.caller, path)
	unchanged := memory.Preconditions{Match: []string{found.ETag}}
	switch {
	case errors.Is(err, memory.ErrNotFound):
		unchanged = memory.Preconditions{NoneMatch: []string{"*"}}
		deleted, err := p.trashed(ctx, p.caller, path)
		if err != nil || !deletedAt(deleted).Before(at) { // an older line must not restore the note
			return false, err
		}
		label := p.caller.Taint
		if here := func(e memory.Entry) bool { return e.Label == label }; l.Op == opDelete && !slices.ContainsFunc(deleted, here) {
			return false, nil // it never existed here, or was deleted at a lower label
		}
	case err != nil:
		return false, err
	case !changedAt(&found.Entry).Truncate(time.Millisecond).Before(at),
		l.Op == opDelete && found.Label != p.caller.Taint, // conflicts
		l.Op == opPut && found.Label == p.caller.Taint && found.Encrypted:
		return false, nil
	}
	if l.Op == opDelete {
		if err := p.charge(ctx, l); err != nil {
			return false, err
		}
		err = p.service.DeleteOccurred(ctx, p.caller, path, unchanged, memory.Moment{Time: at})
		if errors.Is(err, memory.ErrNotFound) {
			return false, nil
		}
		return err == nil, err
	}
	request, err := l.put(path)
	if err != nil {
		return false, err
	}
	if err := p.charge(ctx, l); err != nil {
		return false, err
	}
	request.If = unchanged
	_, err = p.service.Put(ctx, p.caller, request)
	return err == nil, err
}

// trashed returns the most recently deleted notes of a path, one for each label.
func (s *Surface) trashed(ctx context.Context, c memory.Caller, path memory.Path) (deleted []memory.Entry, err error) {
	_, err = s.service.EachTrashed(ctx, c, memory.TrashRequest{Store: path.Store, Path: &path}, func(f memory.Found) error {
		deleted = append(deleted, f.Entry)
		return nil
	})
	return deleted, err
}
