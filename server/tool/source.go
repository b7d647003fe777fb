package tool

import (
	"encoding/json"

	"mneme/memory"
	"mneme/server/wire"
)

// lineage is what an entry's source becomes: the tool that saved it, and what
// the caller says of session and ids read. It fails no save: what cannot be
// understood, or is too long, is left out.
func (c *call) lineage(said json.RawMessage) json.RawMessage {
	l := memory.Lineage{Tool: c.name}
	var from struct {
		Session string   `json:"session"`
		Read    []string `json:"read"`
	}
	if said != nil && json.Unmarshal(said, &from) == nil {
		l.Session, l.Read = from.Session, from.Read
	}
	text, err := wire.Marshal(l)
	if err == nil && len(text) <= memory.MaxSource {
		return text
	}
	if text, err = wire.Marshal(memory.Lineage{Tool: c.name}); err != nil {
		return nil
	}
	return text
}
