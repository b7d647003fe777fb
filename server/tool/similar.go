package tool

import (
	"fmt"
	"strings"

	"mneme/memory"
)

// alike is an entry that nearly repeats or contradicts a written one.
type alike struct {
	Key         string  `json:"key"`
	Namespace   string  `json:"namespace,omitempty"`
	Description string  `json:"description,omitempty"`
	Relevance   float64 `json:"relevance"`
}

func alikeOf(found []memory.Near) (out []alike) {
	for i := range found {
		e := &found[i].Entry
		out = append(out, alike{Key: e.Key, Namespace: e.Namespace, Description: e.Description, Relevance: found[i].Relevance})
	}
	return out
}

// similarNote lists, in the answer to create, the entries that are similar to the
// written one: "" if there are none.
func (m *memoryCall) similarNote(put *memory.PutResult) string {
	if put.SimilarLate {
		return "\n(It was not compared with other memories in time.)"
	}
	var note strings.Builder
	for i := range put.Similar {
		if i == 0 {
			note.WriteString("\nOther memories say nearly the same, or the opposite; keep one of them up to date, and delete the others:")
		}
		e := &put.Similar[i].Entry
		name := m.pathOf(e.Store, e.Key)
		if e.Namespace != "" { // no path leads there
			name = fmt.Sprintf("%s in the namespace %s", e.Key, e.Namespace)
		}
		fmt.Fprintf(&note, "\n- %s (relevance %.2f)", name, put.Similar[i].Relevance)
	}
	return note.String()
}
