package main

import (
	"cmp"
	"strings"
	"time"

	"mneme/configs"
	"mneme/server/token"
)

// printTokens lists the tokens and API keys of a data folder, the oldest first.
func (c *tokenCommand) printTokens(config configs.Config) error {
	keys, err := token.OpenKeyring(config.DataDir)
	if err != nil {
		return err
	}
	list, err := keys.List(c.as.agent, time.Now())
	if err != nil {
		return err
	}
	if c.json {
		return c.printJSON(map[string]any{"tokens": list})
	}
	table := c.newTable(column{heading: "ID", style: always(bold)}, column{heading: "NAME"}, column{heading: "KIND"}, column{heading: "AGENT"},
		column{heading: "TAINT", style: labelStyle}, column{heading: "SCOPES"}, column{heading: "STATE"}, column{heading: "ISSUED", style: always(faint)},
		column{heading: "EXPIRES", style: always(faint)}, column{heading: "LAST USE", style: always(faint)})
	at := func(t *time.Time, none string) string {
		if t == nil {
			return none
		}
		return t.Format(time.RFC3339)
	}
	for _, one := range list {
		table.add(one.ID, cmp.Or(plain(one.Name), "-"), one.Kind, plain(one.Agent), one.Taint.String(), cmp.Or(strings.Join(one.Scopes, ","), "-"),
			one.State, one.IssuedAt.Format(time.RFC3339), at(one.Expires, "never"), at(one.LastUse, "-"))
	}
	return table.flush()
}
