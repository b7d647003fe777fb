package meter

import (
	"strings"

	"mneme/acl"
)

// Holder returns the name of the account, counts and purchases of an agent's sessions at a
// label: at PUBLIC the agent's own name, at other labels a name that no agent has.
//
// SECURITY: answers reveal balances, caps and purchases, and so the searches that changed them.
// So a session changes only the balances, caps and purchases of its own label, and reads only
// those of labels up to its own.
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

// holders returns the Holder names of an agent's sessions at labels up to ceiling.
func holders(agent string, ceiling acl.Label) (names []string) {
	for label := acl.Public; label <= max(ceiling, acl.Public); label++ {
		names = append(names, Holder(agent, label))
	}
	return names
}
