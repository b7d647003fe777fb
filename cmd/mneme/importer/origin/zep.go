package origin

import (
	"encoding/json"
	"errors"
	"io"
	"path"
	"strings"

	"mneme/cmd/mneme/importer"
)

// zep reads the facts, entities and episodes of a Zep or Graphiti graph, in the format of
// their APIs. Neither has an export of its own.
//
// Sources: the pages "Get User Edges", "Get User Episodes", "Get Edge" (v2, v3), "List
// edges" and "List episodes" (v4) of help.getzep.com (an array, or an object with episodes
// or items); graphiti_core/edges.py and nodes.py of getzep/graphiti for the fields of
// EntityEdge, EntityNode and EpisodicNode, and mcp_server/src/models/response_types.py for
// the answers of its MCP server (facts, nodes, episodes).
type zep struct{}

var zepShape = shape{
	arrays: []string{"edges", "episodes", "facts", "items", "nodes"},
	fields: []string{
		"uuid", "name", "fact", "summary", "content", "labels", "source", "source_description", "role",
		"created_at", "valid_at", "invalid_at", "expired_at", "source_node_uuid",
	},
}

func (zep) member(file string) bool {
	switch path.Ext(file) {
	case ".json", ".jsonl", ".ndjson":
		return true
	}
	return false
}

// zepItem has the fields of edges, nodes and episodes.
type zepItem struct {
	UUID        string        `json:"uuid"`
	Name        string        `json:"name"`
	Fact        *string       `json:"fact"`
	Summary     *string       `json:"summary"`
	Content     *string       `json:"content"`
	Labels      []string      `json:"labels"`
	Kind        string        `json:"source"` // of an episode: text, json or message
	Description string        `json:"source_description"`
	Role        string        `json:"role"`
	Node        string        `json:"source_node_uuid"`
	Created     importer.Date `json:"created_at"`
	Valid       importer.Date `json:"valid_at"`
	Invalid     importer.Date `json:"invalid_at"`
	Expired     importer.Date `json:"expired_at"`
}

func (zep) read(_ string, in io.Reader, out output) error {
	return eachItem(in, zepShape, out, func(i item) ([]draft, error) {
		var z zepItem
		if err := i.decode(&z); err != nil {
			return nil, err
		}
		var d draft
		switch {
		case z.UUID == "":
			if z.Fact != nil || z.Content != nil || z.Summary != nil {
				return nil, errors.New("uuid: is missing")
			}
			return nil, errForeign
		case z.Fact != nil:
			d = z.fact()
		case z.Content != nil:
			d = z.episode()
		case z.Node != "":
			return nil, skipped("is an edge without a fact")
		case z.Name != "":
			d = z.entity()
		default:
			return nil, errForeign
		}
		return []draft{d}, nil
	})
}

// fact returns the entry of an edge. If the edge has ended, the entry states it.
func (z zepItem) fact() draft {
	d := draft{key: "fact/" + z.UUID, text: *z.Fact, description: z.Name, tags: []string{"fact"}, occurred: z.Valid.Or(z.Created)}
	if ended := z.Invalid.Or(z.Expired); !ended.IsZero() {
		d.text += " (no longer true since " + ended.Day() + ")"
		d.tags = append(d.tags, "ended")
	}
	return d
}

func (z zepItem) entity() draft {
	d := draft{key: "entity/" + z.UUID, text: z.Name, description: z.Name, tags: []string{"entity"}}
	if z.Summary != nil && strings.TrimSpace(*z.Summary) != "" {
		d.text += ": " + *z.Summary
	}
	for _, label := range z.Labels {
		if label != "Entity" { // the label of every node
			d.tags = append(d.tags, label)
		}
	}
	return d
}

func (z zepItem) episode() draft {
	d := draft{key: "episode/" + z.UUID, text: *z.Content, description: z.Description, tags: []string{"episode"}, occurred: z.Valid.Or(z.Created)}
	switch {
	case z.Kind == "json" && json.Valid([]byte(*z.Content)):
		d.json = json.RawMessage(*z.Content)
	case z.Role != "":
		d.text = z.Role + ": " + d.text
	}
	return d
}
