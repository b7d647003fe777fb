package tool

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"mneme/acl"
	"mneme/memory"
)

// The commands of the tool memory. edit, search, share, unshare and stores are
// from Robutler, str_replace and insert from memory_20250818, and the others
// are common to both.
var (
	commands        = []string{"view", "create", "edit", "str_replace", "insert", "delete", "rename", "search", "stores"}
	sharingCommands = []string{"share", "unshare"}
)

// memoryCall is one call of the tool memory.
type memoryCall struct {
	*call
	given map[string]bool

	command, action  string
	path, store      string
	fileText         string
	content          json.RawMessage
	isJSON           bool // of content: a text is the JSON of the value
	oldStr, newStr   string
	insertLine       int
	insertText       string
	viewRange        []int
	part             stretch
	oldPath, newPath string
	limit            int
	options          searchOptions
	agent, level     string
	source           json.RawMessage
	occurred         *string

	displayed int // bytes of the values whose sizes a directory view has shown as text
}

func (m *memoryCall) arguments(sharing bool) arguments {
	all := arguments{
		"command": &m.command, "action": &m.action, "path": &m.path, "store": &m.store,
		"file_text": &m.fileText, "content": &m.content, "is_json": &m.isJSON, "old_str": &m.oldStr, "new_str": &m.newStr,
		"insert_line": &m.insertLine, "insert_text": &m.insertText, "view_range": &m.viewRange,
		"old_path": &m.oldPath, "new_path": &m.newPath, "limit": &m.limit, "source": &m.source, "occurred_at": &m.occurred,
	}
	if sharing {
		all["agent"], all["level"] = &m.agent, &m.level
	}
	return m.part.add(m.options.add(all))
}

// readingCommands are the read-only commands.
var readingCommands = []string{"view", "search", "stores"}

// memoryTool returns the tool memory. Without sharing it lacks the commands
// share and unshare, and their parameters.
func memoryTool(v variant) tool {
	known, sharing := commands, v.sharing
	if sharing {
		known = slices.Concat(commands, sharingCommands)
	}
	return tool{Definition: memoryDefinition(v, known), run: func(ctx context.Context, c *call) (Result, error) {
		m := &memoryCall{call: c, options: newSearchOptions()}
		var err error
		if m.given, err = c.decode(m.arguments(sharing)); err != nil {
			return Result{}, err
		}
		if m.given["command"] && m.given["action"] && !slices.Contains(known, m.action) {
			m.given["action"] = false // a client's own
		}
		if m.given["command"] && m.given["action"] && m.command != m.action {
			return Result{}, refuse("Error: `command` and its alias `action` differ")
		}
		if !m.given["command"] {
			m.command = m.action
		}
		if m.command == "" {
			return Result{}, refuse("Error: `command` is required")
		}
		if !slices.Contains(known, m.command) {
			return Result{}, refuse("Error: Unknown command: %s", shownPath(m.command))
		}
		if err := m.checkUnfiltered(); err != nil {
			return Result{}, err
		}
		if m.idempotencyKey != nil && !slices.Contains(readingCommands, m.command) {
			return Result{}, errKeyedWrite
		}
		return m.run(ctx)
	}}
}

// checkUnfiltered refuses search conditions in other commands, whose answers would
// not satisfy them.
func (m *memoryCall) checkUnfiltered() error {
	o := m.options
	conditions := []struct {
		name  string
		given bool
	}{
		{"query", o.query != ""}, {"queries", len(o.queries) > 0}, {"tags", len(o.tags) > 0},
		{"where", m.given["where"] && string(o.where) != "{}"}, {"match", m.given["match"] && string(o.match) != "{}"},
	}
	for _, c := range conditions {
		if c.given && m.command != "search" {
			return refuse("Error: `%s` is for search alone", c.name)
		}
	}
	return nil
}

func (m *memoryCall) run(ctx context.Context) (Result, error) {
	switch m.command {
	case "view":
		return m.view(ctx)
	case "create":
		return m.create(ctx)
	case "edit", "str_replace":
		return m.replace(ctx)
	case "insert":
		return m.insert(ctx)
	case "delete":
		return m.delete(ctx)
	case "rename":
		return m.rename(ctx)
	case "search":
		return m.search(ctx)
	case "share":
		return m.share(ctx)
	case "unshare":
		return m.unshare(ctx)
	default: // "stores": the command is already checked
		return m.stores(ctx)
	}
}

// resolve parses the parameter path.
func (m *memoryCall) resolve() (resolvedPath, error) {
	if err := need(m.given, "path"); err != nil {
		return resolvedPath{}, err
	}
	return m.parse(m.path)
}

func (m *memoryCall) parse(path string) (resolvedPath, error) {
	return parsePath(path, m.caller.Agent, m.store)
}

// file parses the parameter path, which must name a key: the path of an entry to
// create.
func (m *memoryCall) file() (resolvedPath, error) {
	p, err := m.resolve()
	switch {
	case err == nil && p.top():
		err = refuse("Error: File %s already exists", p.path)
	case err == nil && p.folder:
		err = refuse("Error: The path %s is a directory; name a memory in it", p.path)
	}
	return p, err
}

// get reads the entry at a path.
func (m *memoryCall) get(ctx context.Context, p resolvedPath) (memory.Found, error) {
	return m.service.Get(ctx, m.caller, p.at())
}

// missing is the Anthropic memory tool's error for a path that does not exist.
func missing(p resolvedPath) error {
	return because(memory.ErrNotFound, "The path %s does not exist. Please provide a valid path.", p.path)
}

// create writes an entry. With file_text the entry must be new; with content an
// existing one is overwritten.
func (m *memoryCall) create(ctx context.Context) (Result, error) {
	p, err := m.file()
	if err != nil {
		return Result{}, err
	}
	if m.given["file_text"] == m.given["content"] {
		return Result{}, refuse("Error: create takes either `file_text` or `content`")
	}
	content, err := valueOf("content", m.content, m.isJSON)
	if err != nil {
		return Result{}, err
	}
	plain := false // plain text never replaces a client's encrypted blob
	r := memory.PutRequest{Path: p.at(), Value: content, Encrypted: &plain, OccurredAt: m.occurred, Timezone: m.options.timezone, Source: m.lineage(m.source), Similar: true}
	m.parameter = map[string]string{"value": "`content`"}
	if m.given["file_text"] {
		m.parameter["value"] = "`file_text`"
		if r.Value, err = quoted(m.fileText); err != nil {
			return Result{}, err
		}
		r.If.NoneMatch = []string{"*"}
		r.Encrypted = nil // its check would precede the precondition, whose error the caller expects
		if err := m.noFolder(ctx, p); err != nil {
			return Result{}, err
		}
	}
	put, err := m.service.Put(ctx, m.caller, r)
	switch {
	case errors.Is(err, memory.ErrPrecondition):
		return Result{}, because(err, "Error: File %s already exists", p.path)
	case err != nil:
		return Result{}, err
	case put.Created:
		return Result{Text: "File created successfully at: " + p.path + m.similarNote(&put)}, nil
	default:
		return Result{Text: "File overwritten successfully at: " + p.path + m.similarNote(&put)}, nil
	}
}

// noFolder refuses a name of an existing folder, as a file system would.
func (m *memoryCall) noFolder(ctx context.Context, p resolvedPath) error {
	there, err := m.isFolder(ctx, p)
	switch {
	case errors.Is(err, acl.ErrDenied):
		return nil // the write itself will be denied
	case err == nil && there:
		return because(memory.ErrPrecondition, "Error: File %s already exists", p.path)
	}
	return err
}

// isFolder reports whether the caller sees an entry below a path.
func (m *memoryCall) isFolder(ctx context.Context, p resolvedPath) (bool, error) {
	if len(p.key) >= memory.MaxKey { // any key below it would be too long
		return false, nil
	}
	page, err := m.service.List(ctx, m.caller, listBelow(p, 1))
	return len(page.Items) > 0, err
}

// defaultNamespace is the namespace of the tools' entries.
var defaultNamespace = ""

// listBelow returns a request for the entries below a path.
func listBelow(p resolvedPath, limit int) memory.ListRequest {
	r := memory.ListRequest{Store: p.store, Filter: memory.Filter{Namespace: &defaultNamespace}, Limit: limit}
	if !p.top() {
		r.Prefix = p.key + "/"
	}
	return r
}

// delete deletes an entry, or a folder and everything below it. If both have
// the name, a path without a trailing slash means the entry.
func (m *memoryCall) delete(ctx context.Context) (Result, error) {
	p, err := m.resolve()
	if err != nil {
		return Result{}, err
	}
	if p.top() {
		return Result{}, refuse("Cannot delete the %s directory itself", p.path)
	}
	err = memory.ErrNotFound
	if !p.folder {
		err = m.service.Delete(ctx, m.caller, p.at(), memory.Preconditions{})
	}
	if errors.Is(err, memory.ErrNotFound) {
		_, err = m.service.DeleteTree(ctx, m.caller, p.tree())
	}
	switch {
	case errors.Is(err, memory.ErrNotFound):
		return Result{}, because(err, "Error: The path %s does not exist", p.path)
	case err != nil:
		return Result{}, err
	}
	return Result{Text: "Successfully deleted " + p.path}, nil
}

// destinationExists is the Anthropic memory tool's error for a rename to a path that
// exists.
const destinationExists = "Error: The destination %s already exists"

// rename moves an entry, or a folder and everything below it, from old_path or
// path to new_path or new_str.
func (m *memoryCall) rename(ctx context.Context) (Result, error) {
	from, err := m.oneOf("old_path", m.oldPath, "path", m.path)
	if err != nil {
		return Result{}, err
	}
	to, err := m.oneOf("new_path", m.newPath, "new_str", m.newStr)
	if err != nil {
		return Result{}, err
	}
	switch {
	case from.top():
		return Result{}, refuse("Cannot rename the %s directory itself", from.path)
	case to.top():
		return Result{}, refuse(destinationExists, to.path)
	}
	err = memory.ErrNotFound
	if !from.folder {
		err = m.renameEntry(ctx, from, to)
	}
	if errors.Is(err, memory.ErrNotFound) {
		_, err = m.service.RenameTree(ctx, m.caller, from.tree(), to.store, to.key)
	}
	switch {
	case errors.Is(err, memory.ErrNotFound):
		if there, err := m.exists(ctx, to); err == nil && there {
			return Result{}, refuse(destinationExists, to.path)
		}
		return Result{}, because(err, "Error: The path %s does not exist", from.path)
	case err != nil:
		return Result{}, m.renameError(ctx, to, err)
	}
	return Result{Text: "Successfully renamed " + from.path + " to " + to.path}, nil
}

// renameEntry moves one entry. It refuses a destination that is a folder, as a
// file system would.
func (m *memoryCall) renameEntry(ctx context.Context, from, to resolvedPath) error {
	if _, err := m.get(ctx, from); err != nil {
		return err
	}
	if to.folder {
		return refuse("Error: The path %s is a directory; name a memory in it", to.path)
	}
	there, err := m.isFolder(ctx, to)
	switch {
	case err != nil:
		return err
	case there:
		return because(memory.ErrConflict, destinationExists, to.path)
	}
	_, err = m.service.Rename(ctx, m.caller, memory.RenameRequest{Path: from.at(), To: to.key, ToStore: to.store})
	return err
}

// oneOf parses a path parameter that has an alias.
func (m *memoryCall) oneOf(name, path, alias, aliased string) (resolvedPath, error) {
	switch {
	case m.given[name] && m.given[alias] && path != aliased:
		return resolvedPath{}, refuse("Error: `%s` and its alias `%s` differ", name, alias)
	case m.given[name]:
		return m.parse(path)
	case m.given[alias]:
		return m.parse(aliased)
	}
	return resolvedPath{}, refuse("Error: `%s` is required", name)
}

// renameError turns a conflict into the Anthropic memory tool's error for an
// existing destination, if the destination exists. Other errors stay unchanged.
func (m *memoryCall) renameError(ctx context.Context, to resolvedPath, conflict error) error {
	var r *refusal
	if !errors.Is(conflict, memory.ErrConflict) || errors.As(conflict, &r) {
		return conflict
	}
	if there, err := m.exists(ctx, to); err != nil || !there {
		return conflict
	}
	return because(conflict, destinationExists, to.path)
}

// exists reports whether the caller sees an entry or a folder at a path.
func (m *memoryCall) exists(ctx context.Context, p resolvedPath) (bool, error) {
	if !p.folder {
		if _, err := m.get(ctx, p); !errors.Is(err, memory.ErrNotFound) {
			return err == nil, err
		}
	}
	return m.isFolder(ctx, p)
}
