package tool

import (
	"encoding/json"

	"mneme/memory"
	"mneme/server/wire"
)

// lineage returns the source of an entry: the tool that saved it, and the
// session and IDs in the parameter source. It never fails a save: an
// invalid or too long source is omitted.
func (c *call) lineage(source json.RawMessage) json.RawMessage {
	l := memory.Lineage{Tool: c.name}
	var from struct {
		Session string   `json:"session"`
		Read    []string `json:"read"`
	}
	if source != nil && json.Unmarshal(source, &from) == nil {
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
