package origin

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"time"

	"mneme/cmd/mneme/importer"
)

// mem0 reads the memories of mem0: the answer of get_all, and the backup of OpenMemory.
//
// Sources: the pages "Get Memory", "v1 Get Memories" and "Export Stored Memories" of
// docs.mem0.ai (an array, or an object with results; id, memory, user_id, agent_id,
// app_id, run_id, metadata, categories, created_at, updated_at, expiration_date), and
// openmemory/api/app/routers/backup.py of mem0ai/mem0 (a ZIP archive of memories.json and
// memories.jsonl.gz, whose lines have content, state, app and the names of categories).
// The answers of mem0's create_memory_export have the fields that its caller requested, so
// they cannot be read.
type mem0 struct {
	now  time.Time
	zone *time.Location
}

var mem0Shape = shape{
	arrays: []string{"memories", "results"},
	fields: []string{
		"id", "memory", "content", "user_id", "agent_id", "app_id", "app", "run_id", "metadata", "categories",
		"category_ids", "state", "created_at", "updated_at", "expiration_date",
	},
}

// member selects the one file of a backup that has the names of categories.
func (mem0) member(file string) bool { return path.Base(file) == "memories.jsonl.gz" }

type mem0Memory struct {
	ID          string          `json:"id"`
	Memory      *string         `json:"memory"`
	Content     *string         `json:"content"`
	User        string          `json:"user_id"`
	Agent       string          `json:"agent_id"`
	AppID       string          `json:"app_id"`
	App         string          `json:"app"`
	Run         string          `json:"run_id"`
	Metadata    json.RawMessage `json:"metadata"`
	Categories  []string        `json:"categories"`
	CategoryIDs []string        `json:"category_ids"`
	State       string          `json:"state"`
	Created     importer.Date   `json:"created_at"`
	Updated     importer.Date   `json:"updated_at"`
	Expires     importer.Date   `json:"expiration_date"`
}

func (m mem0) read(_ string, in io.Reader, out output) error {
	return eachItem(in, mem0Shape, out, func(i item) ([]draft, error) {
		var memory mem0Memory
		if err := i.decode(&memory); err != nil {
			return nil, err
		}
		return memory.drafts(m.now, m.zone)
	})
}

func (m mem0Memory) drafts(now time.Time, zone *time.Location) ([]draft, error) {
	text := m.Memory
	if text == nil {
		text = m.Content
	}
	switch {
	case text == nil:
		return nil, errForeign
	case m.ID == "":
		return nil, errors.New("id: is missing")
	case len(m.CategoryIDs) > 0 && len(m.Categories) == 0:
		return nil, errors.New("category_ids: have no names in this file; import the archive, or its memories.jsonl.gz")
	case m.Expires.Undated != "":
		return nil, fmt.Errorf("expiration_date: %w", importer.ErrDate)
	case m.State == "deleted":
		return nil, skipped("is deleted there")
	}
	d := draft{key: m.ID, text: *text, tags: slices.Clone(m.Categories), occurred: m.Created.Or(m.Updated)}
	// The expiration day is included:
	// https://docs.mem0.ai/platform/features/memory-expiration
	d.expires = m.Expires.End(zone)
	if !d.expires.IsZero() && !d.expires.After(now) {
		return nil, skipped("has expired there")
	}
	for _, scope := range [][2]string{{"user", m.User}, {"agent", m.Agent}, {"app", m.App}, {"app", m.AppID}, {"run", m.Run}} {
		if scope[1] != "" {
			d.tags = append(d.tags, scope[0]+":"+scope[1])
		}
	}
	if m.State == "archived" || m.State == "paused" {
		d.tags = append(d.tags, m.State)
	}
	if metadata := compact(m.Metadata); metadata != nil {
		value, err := json.Marshal(map[string]any{"memory": *text, "metadata": metadata})
		if err != nil {
			return nil, errors.New("metadata: is not valid JSON")
		}
		d.json = value
	}
	return []draft{d}, nil
}
