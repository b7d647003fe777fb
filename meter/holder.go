package meter

import (
	"strings"

	"mneme/acl"
)

// Holder returns the name under which an agent's sessions at a label have money, are
// counted and have bought entries: at PUBLIC the agent's own, elsewhere one that no agent
// has.
//
// SECURITY: balances, caps and what was bought show in answers, and so what changed them.
// Sessions at a label change its own alone, and read those up to it.
func Holder(agent string, label acl.Label) string {
	if label <= acl.Public {
		return agent
	}
	return agent + "/" + label.String()
}

// SplitHolder is the inverse of Holder.
func SplitHolder(holder string) (agent string, label acl.Label) {
	agent, name, labelled := strings.Cut(holder, "/")
	if label, err := acl.ParseLabel(name); labelled && err == nil {
		return agent, label
	}
	return holder, acl.Public
}

// holders returns the names of an agent's sessions up to a label.
func holders(agent string, ceiling acl.Label) (names []string) {
	for label := acl.Public; label <= max(ceiling, acl.Public); label++ {
		names = append(names, Holder(agent, label))
	}
	return names
}
