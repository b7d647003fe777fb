package search

import (
	"github.com/google/uuid"

	"mneme/acl"
	"mneme/memory"
)

// snapshot is what the steps of a search see of the stores at one moment.
//
// SECURITY: its scope decides what is shown.
type snapshot struct {
	tx    memory.ReadTx
	scope acl.Scope
	then  *formerEntries // of a search as of a time; nil: it is none
	// dropped collects the visible entries among those read that do not pass the
	// filter. nil: it is not asked for.
	dropped map[uuid.UUID]*memory.Entry
}
