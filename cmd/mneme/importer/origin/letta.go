package origin

import (
	"errors"
	"io"
	"path"

	"mneme/cmd/mneme/importer"
)

// letta reads the memory blocks of agent files (.af).
//
// Sources: letta/schemas/agent_file.py of letta-ai/letta (AgentFileSchema: agents with
// block_ids, and blocks with label, value and description),
// letta/serialize_schemas/pydantic_agent_schema.py for the older form (one agent with
// core_memory), and the files and the README of letta-ai/agent-file, some of which contain
// the document as a JSON string. Agent files have no archival memory ("passages",
// according to the README). The reader skips messages, tools, files and settings, which
// are not memories.
type letta struct{}

var lettaShape = shape{arrays: []string{"agents", "blocks", "core_memory"}, fields: []string{"name"}, both: true}

func (letta) member(file string) bool { return path.Ext(file) == ".af" }

type lettaAgent struct {
	Name   string   `json:"name"`
	Blocks []string `json:"block_ids"`
}

type lettaBlock struct {
	ID          string        `json:"id"`
	Label       string        `json:"label"`
	Value       string        `json:"value"`
	Description string        `json:"description"`
	Created     importer.Date `json:"created_at"`
	Updated     importer.Date `json:"updated_at"`
}

// read reads the whole file before it yields a block. A block's key begins with the name of
// its agent, which may follow later in the file.
func (letta) read(_ string, in io.Reader, out output) error {
	type found struct {
		item
		lettaBlock
	}
	var blocks []found
	size := 0
	agents := make(map[string]string) // names by block ID
	only := ""                        // the single agent of the older form
	err := eachItem(in, lettaShape, out, func(i item) ([]draft, error) {
		if i.array == "blocks" || i.array == "core_memory" {
			if size += len(i.raw); size > maxItem {
				return nil, errors.New("the blocks of the file are too large")
			}
			var block lettaBlock
			if err := i.decode(&block); err != nil {
				return nil, err
			}
			i.raw = nil
			blocks = append(blocks, found{i, block})
			return nil, nil
		}
		var agent lettaAgent
		if err := i.decode(&agent); err != nil {
			return nil, err
		}
		if i.array == "" {
			if i.place != "" {
				return nil, errForeign
			}
			only = agent.Name
			return nil, nil
		}
		for _, id := range agent.Blocks {
			if _, shared := agents[id]; !shared { // named after its first agent
				agents[id] = agent.Name
			}
		}
		return nil, nil
	})
	if err != nil {
		return err
	}
	if len(blocks) == 0 && len(agents) == 0 && only != "" {
		return out(importer.Line{Number: 1, Err: errForeign})
	}
	for _, block := range blocks {
		agent := only
		if block.array == "blocks" {
			agent = agents[block.ID]
		}
		line := block.refuse(errors.New("label: is missing"))
		switch {
		case block.Value == "":
			line = block.refuse(skipped("is empty"))
		case block.Label != "":
			line = block.draft(agent).line(block.item)
		}
		if err := out(line); err != nil {
			return err
		}
	}
	return nil
}

func (b lettaBlock) draft(agent string) draft {
	d := draft{key: segment(b.Label), text: b.Value, description: b.Description, tags: []string{"block"}, occurred: b.Updated.Or(b.Created)}
	if agent = segment(agent); agent != "" {
		d.key = agent + "/" + d.key
	}
	if b.Label == "human" { // the agent's knowledge of its user
		d.kind = "user"
	}
	return d
}
