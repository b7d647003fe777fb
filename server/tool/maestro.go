package tool

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"time"

	"mneme/acl"
	"mneme/memory"
	"mneme/server/wire"
)

// maestro returns the tools of MAESTRO's user memory. They use the caller's own
// store, so that no caller writes for another.
func maestro() []tool {
	return []tool{
		{updateUserMemoryDefinition, updateUserMemory},
		{readUserMemoryDefinition, readUserMemory},
	}
}

// entryName matches the names of MAESTRO entries. They become file names and
// parts of Markdown links.
var entryName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

func checkName(name string) error {
	if !entryName.MatchString(name) || len(name) > memory.MaxKey {
		return refuse("Error: `name` must consist of letters, digits, '-' and '_', without .md")
	}
	return nil
}

func updateUserMemory(ctx context.Context, c *call) (Result, error) {
	var action, name, kind, description, body, zone string
	var source json.RawMessage
	var occurred *string
	given, err := c.decode(arguments{
		"action": &action, "name": &name, "type": &kind, "description": &description, "body": &body, "occurred_at": &occurred, "timezone": &zone, "source": &source,
	})
	if err == nil {
		err = need(given, "action", "name")
	}
	if err == nil {
		err = checkName(name)
	}
	if err != nil {
		return Result{}, err
	}
	switch action {
	case "upsert":
		if err := need(given, "type", "description", "body"); err != nil {
			return Result{}, err
		}
		if kind == "" || description == "" { // the service accepts both, for other systems
			return Result{}, refuse("Error: `type` and `description` must not be empty")
		}
		value, err := quoted(body)
		if err != nil {
			return Result{}, err
		}
		c.parameter = map[string]string{"value": "`body`"}
		put, err := c.save(ctx, name, value, source, func(r *memory.PutRequest) {
			r.Type, r.Description, r.OccurredAt, r.Timezone = &kind, &description, occurred, zone
		})
		if err != nil {
			return Result{}, err
		}
		return asJSON(struct {
			Saved   bool   `json:"saved"`
			Created bool   `json:"created"`
			Name    string `json:"name"`
		}{true, put.Created, name})
	case "delete":
		err := c.service.Delete(ctx, c.caller, c.own(name), memory.Preconditions{})
		if errors.Is(err, memory.ErrNotFound) {
			return Result{}, because(err, "Error: no entry %s", name)
		}
		if err != nil {
			return Result{}, err
		}
		return asJSON(struct {
			Deleted bool   `json:"deleted"`
			Name    string `json:"name"`
		}{true, name})
	default:
		return Result{}, refuse("Error: `action` must be upsert or delete")
	}
}

// userMemory is the result of ReadUserMemory.
type userMemory struct {
	Name           string          `json:"name"`
	Type           string          `json:"type"`
	Description    string          `json:"description"`
	Body           string          `json:"body"`
	Tags           []string        `json:"tags"`
	Classification acl.Label       `json:"classification"`
	CreatedAt      time.Time       `json:"created_at"`
	UpdatedAt      time.Time       `json:"updated_at"`
	UpdatedBy      string          `json:"updated_by"`
	OccurredAt     string          `json:"occurred_at,omitempty"`
	Source         json.RawMessage `json:"source,omitempty"` // without the ids of entries that the caller may not read
	page
}

func readUserMemory(ctx context.Context, c *call) (Result, error) {
	var name string
	var part stretch
	given, err := c.decode(part.add(arguments{"name": &name}))
	if err == nil {
		err = need(given, "name")
	}
	if err == nil {
		err = checkName(name)
	}
	if err != nil {
		return Result{}, err
	}
	e, err := c.service.Get(ctx, c.caller, c.own(name))
	if errors.Is(err, memory.ErrNotFound) {
		return Result{}, because(err, "Error: no entry %s", name)
	}
	if err != nil {
		return Result{}, err
	}
	read := userMemory{
		Name: e.Key, Type: e.Type, Description: e.Description, Tags: wire.Tags(e.Tags),
		Classification: e.Label, CreatedAt: e.CreatedAt.UTC(), UpdatedAt: e.UpdatedAt.UTC(), UpdatedBy: e.UpdatedBy,
		OccurredAt: e.OccurredAt.String(), Source: e.Source,
	}
	if read.page, err = c.read(display(e.Value), part, given, read); err != nil {
		return Result{}, err
	}
	read.Body = read.text
	return asJSON(read)
}
