package main

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"mneme/acl"
	"mneme/configs"
	"mneme/server/token"
)

// listedToken is a token or API key as JSON shows it, without its secret.
type listedToken struct {
	ID       string     `json:"id"`
	Name     string     `json:"name,omitempty"`
	Kind     string     `json:"kind"` // token or api-key
	Agent    string     `json:"agent"`
	Taint    acl.Label  `json:"taint"`
	Scopes   []string   `json:"scopes"`
	Chat     string     `json:"chat,omitempty"`
	User     string     `json:"user,omitempty"`
	State    string     `json:"state"` // valid, expired or revoked
	IssuedAt time.Time  `json:"issued_at"`
	Expires  *time.Time `json:"expires_at,omitempty"` // nil: never
	LastUse  *time.Time `json:"last_used_at,omitempty"`
}

// printTokens lists the tokens and API keys of a data folder, the oldest first.
func (c *tokenCommand) printTokens(config configs.Config) error {
	list, err := tokensOf(config, c.as.agent)
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

// tokensOf returns the tokens and API keys of an agent, "" for all.
func tokensOf(config configs.Config, agent string) ([]listedToken, error) {
	keys, err := token.OpenAPIKeys(config.DataDir)
	if err != nil {
		return nil, err
	}
	issued, err := token.OpenIssued(config.DataDir)
	if err != nil {
		return nil, err
	}
	uses, err := token.OpenUses(config.DataDir).List()
	if err != nil {
		return nil, err
	}
	list := []listedToken{}
	for kind, read := range map[string]func() ([]token.APIKey, error){"api-key": keys.List, "token": issued.List} {
		found, err := read()
		if err != nil {
			return nil, err
		}
		for _, k := range found {
			if agent == "" || k.Agent == agent {
				list = append(list, listedOf(k, kind, uses))
			}
		}
	}
	slices.SortFunc(list, func(a, b listedToken) int { return cmp.Or(a.IssuedAt.Compare(b.IssuedAt), strings.Compare(a.ID, b.ID)) })
	return list, nil
}

func listedOf(k token.APIKey, kind string, uses map[string]time.Time) listedToken {
	one := listedToken{
		ID: k.ID, Name: k.Name, Kind: kind, Agent: k.Agent, Taint: k.Taint, Scopes: token.ScopesOf(k.Principal()), Chat: k.Chat, User: k.User,
		State: "valid", IssuedAt: k.CreatedAt,
	}
	if !k.ExpiresAt.IsZero() {
		one.Expires = new(k.ExpiresAt.Truncate(time.Second))
	}
	if at, used := uses[k.ID]; used {
		one.LastUse = &at
	}
	switch {
	case !k.RevokedAt.IsZero():
		one.State = "revoked"
	case one.Expires != nil && !time.Now().Before(*one.Expires):
		one.State = "expired"
	}
	return one
}
