package acl_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"mneme/acl"
	"mneme/acl/acltest"
)

var (
	now    = acltest.Now
	past   = now.Add(-time.Nanosecond)
	future = now.Add(time.Nanosecond)
)

func member(until time.Time) acl.Membership { return acl.Membership{Present: true, ExpiresAt: until} }

func caller(agent string) acl.Principal { return acl.Principal{Agent: agent, Taint: acl.Confidential} }

// grant returns a grant made by the store's own agent, without expiry.
func grant(store, grantee string, level acl.Level) acl.Grant {
	return acl.Grant{Store: store, Grantee: grantee, Level: level, MaxLabel: acl.Restricted, Maker: store, Label: acl.Public, Accepted: acl.Public}
}

func changed(g acl.Grant, change func(*acl.Grant)) acl.Grant {
	change(&g)
	return g
}

func TestCascade(t *testing.T) {
	type facts = acltest.Facts
	type agents = map[[2]string]acl.Membership
	settings := func(change func(*acl.Settings)) map[string]acl.Settings {
		s := acl.DefaultSettings()
		change(&s)
		return map[string]acl.Settings{"ann": s}
	}
	ann := caller("ann")
	with := func(chat, user string) acl.Principal { p := ann; p.Chat, p.User = chat, user; return p }
	for name, c := range map[string]struct {
		facts   facts
		p       acl.Principal
		store   string
		level   acl.Level
		via     acl.Via
		ceiling acl.Label
	}{
		"own store":                            {facts{}, ann, "ann", acl.ReadWrite, acl.ViaOwn, acl.Confidential},
		"own store, token claims a chat":       {facts{}, with("c", ""), "ann", acl.ReadWrite, acl.ViaOwn, acl.Confidential},
		"ids are compared byte for byte":       {facts{}, ann, "Ann", acl.None, "", 0},
		"unknown store":                        {facts{}, ann, "bob", acl.None, "", 0},
		"known store":                          {facts{Numbers: map[string]int64{"bob": 2}}, ann, "bob", acl.None, "", 0},
		"platform gives no level":              {facts{}, acl.Principal{Agent: "ann", Taint: acl.Restricted, Platform: true, Share: true}, "bob", acl.None, "", 0},
		"grant of search":                      {facts{GrantList: []acl.Grant{grant("bob", "ann", acl.Search)}}, ann, "bob", acl.Search, acl.ViaGrant, acl.Confidential},
		"grant of read":                        {facts{GrantList: []acl.Grant{grant("bob", "ann", acl.Read)}}, ann, "bob", acl.Read, acl.ViaGrant, acl.Confidential},
		"grant of readwrite":                   {facts{GrantList: []acl.Grant{grant("bob", "ann", acl.ReadWrite)}}, ann, "bob", acl.ReadWrite, acl.ViaGrant, acl.Confidential},
		"grant, token has claims":              {facts{GrantList: []acl.Grant{grant("bob", "ann", acl.Read)}}, with("c", "u"), "bob", acl.Read, acl.ViaGrant, acl.Confidential},
		"grant to another agent":               {facts{GrantList: []acl.Grant{grant("bob", "eve", acl.ReadWrite)}}, ann, "bob", acl.None, "", 0},
		"grant of another store":               {facts{GrantList: []acl.Grant{grant("eve", "ann", acl.ReadWrite)}}, ann, "bob", acl.None, "", 0},
		"grant limited below the taint":        {facts{GrantList: []acl.Grant{changed(grant("bob", "ann", acl.Read), func(g *acl.Grant) { g.MaxLabel = acl.Internal })}}, ann, "bob", acl.Read, acl.ViaGrant, acl.Internal},
		"grant that expires later":             {facts{GrantList: []acl.Grant{changed(grant("bob", "ann", acl.Read), func(g *acl.Grant) { g.ExpiresAt = future })}}, ann, "bob", acl.Read, acl.ViaGrant, acl.Confidential},
		"grant that expires now":               {facts{GrantList: []acl.Grant{changed(grant("bob", "ann", acl.Read), func(g *acl.Grant) { g.ExpiresAt = now })}}, ann, "bob", acl.None, "", 0},
		"grant expired":                        {facts{GrantList: []acl.Grant{changed(grant("bob", "ann", acl.Read), func(g *acl.Grant) { g.ExpiresAt = past })}}, ann, "bob", acl.None, "", 0},
		"grant by a platform token":            {facts{GrantList: []acl.Grant{changed(grant("bob", "ann", acl.Read), func(g *acl.Grant) { g.Maker, g.ByPlatform = "ops", true })}}, ann, "bob", acl.Read, acl.ViaGrant, acl.Confidential},
		"grant by a stranger":                  {facts{GrantList: []acl.Grant{changed(grant("bob", "ann", acl.Read), func(g *acl.Grant) { g.Maker = "eve" })}}, ann, "bob", acl.None, "", 0},
		"grant by nobody":                      {facts{GrantList: []acl.Grant{changed(grant("bob", "ann", acl.Read), func(g *acl.Grant) { g.Maker = "" })}}, ann, "bob", acl.None, "", 0},
		"grant to oneself by oneself":          {facts{GrantList: []acl.Grant{changed(grant("bob", "ann", acl.ReadWrite), func(g *acl.Grant) { g.Maker = "ann" })}}, ann, "bob", acl.None, "", 0},
		"participant":                          {facts{Participants: agents{{"chat", "ann"}: member(time.Time{})}}, ann, "chat", acl.ReadWrite, acl.ViaChat, acl.Confidential},
		"participant until later":              {facts{Participants: agents{{"chat", "ann"}: member(future)}}, ann, "chat", acl.ReadWrite, acl.ViaChat, acl.Confidential},
		"participant until now":                {facts{Participants: agents{{"chat", "ann"}: member(now)}}, ann, "chat", acl.None, "", 0},
		"former participant":                   {facts{Participants: agents{{"chat", "ann"}: {}}}, ann, "chat", acl.None, "", 0},
		"participant of another chat":          {facts{Participants: agents{{"other", "ann"}: member(time.Time{})}}, ann, "chat", acl.None, "", 0},
		"another participant":                  {facts{Participants: agents{{"chat", "bob"}: member(time.Time{})}}, ann, "chat", acl.None, "", 0},
		"the claimed chat":                     {facts{Participants: agents{{"chat", "ann"}: member(time.Time{})}}, with("chat", ""), "chat", acl.ReadWrite, acl.ViaChat, acl.Confidential},
		"a claim without a membership":         {facts{}, with("chat", "user"), "chat", acl.None, "", 0},
		"a chat besides the claimed one":       {facts{Participants: agents{{"chat", "ann"}: member(time.Time{})}}, with("other", ""), "chat", acl.None, "", 0},
		"a chat besides the claimed user":      {facts{Participants: agents{{"chat", "ann"}: member(time.Time{})}}, with("", "user"), "chat", acl.None, "", 0},
		"session user":                         {facts{Sessions: agents{{"user", "ann"}: member(time.Time{})}}, ann, "user", acl.ReadWrite, acl.ViaUser, acl.Confidential},
		"session ended":                        {facts{Sessions: agents{{"user", "ann"}: member(past)}}, ann, "user", acl.None, "", 0},
		"the claimed user":                     {facts{Sessions: agents{{"user", "ann"}: member(time.Time{})}}, with("chat", "user"), "user", acl.ReadWrite, acl.ViaUser, acl.Confidential},
		"a user besides the claimed one":       {facts{Sessions: agents{{"user", "ann"}: member(time.Time{})}}, with("", "other"), "user", acl.None, "", 0},
		"a user besides the claimed chat":      {facts{Sessions: agents{{"user", "ann"}: member(time.Time{})}}, with("chat", ""), "user", acl.None, "", 0},
		"membership before a lower grant":      {facts{Participants: agents{{"chat", "ann"}: member(time.Time{})}, GrantList: []acl.Grant{changed(grant("chat", "ann", acl.Search), func(g *acl.Grant) { g.ByPlatform = true })}}, ann, "chat", acl.ReadWrite, acl.ViaChat, acl.Confidential},
		"a grant where membership ended":       {facts{Participants: agents{{"chat", "ann"}: member(past)}, GrantList: []acl.Grant{changed(grant("chat", "ann", acl.Search), func(g *acl.Grant) { g.ByPlatform = true })}}, ann, "chat", acl.Search, acl.ViaGrant, acl.Confidential},
		"a grant by a participant":             {facts{Participants: agents{{"chat", "bob"}: member(future)}, GrantList: []acl.Grant{changed(grant("chat", "ann", acl.Read), func(g *acl.Grant) { g.Maker = "bob" })}}, ann, "chat", acl.Read, acl.ViaGrant, acl.Confidential},
		"by a former participant":              {facts{Participants: agents{{"chat", "bob"}: member(past)}, GrantList: []acl.Grant{changed(grant("chat", "ann", acl.Read), func(g *acl.Grant) { g.Maker = "bob" })}}, ann, "chat", acl.None, "", 0},
		"by a session's agent":                 {facts{Sessions: agents{{"user", "bob"}: member(future)}, GrantList: []acl.Grant{changed(grant("user", "ann", acl.Read), func(g *acl.Grant) { g.Maker = "bob" })}}, ann, "user", acl.Read, acl.ViaGrant, acl.Confidential},
		"by an ended session's agent":          {facts{Sessions: agents{{"user", "bob"}: member(now)}, GrantList: []acl.Grant{changed(grant("user", "ann", acl.Read), func(g *acl.Grant) { g.Maker = "bob" })}}, ann, "user", acl.None, "", 0},
		"by a reader":                          {facts{GrantList: []acl.Grant{grant("s", "bob", acl.Read), changed(grant("s", "ann", acl.Read), func(g *acl.Grant) { g.Maker = "bob" })}}, ann, "s", acl.None, "", 0},
		"by a writer":                          {facts{GrantList: []acl.Grant{grant("s", "bob", acl.ReadWrite), changed(grant("s", "ann", acl.Read), func(g *acl.Grant) { g.Maker = "bob" })}}, ann, "s", acl.Read, acl.ViaGrant, acl.Confidential},
		"by a writer under a lower label":      {facts{GrantList: []acl.Grant{changed(grant("s", "bob", acl.ReadWrite), func(g *acl.Grant) { g.MaxLabel = acl.Public }), changed(grant("s", "ann", acl.Read), func(g *acl.Grant) { g.Maker = "bob" })}}, ann, "s", acl.Read, acl.ViaGrant, acl.Public},
		"two grants that depend on each other": {facts{GrantList: []acl.Grant{changed(grant("s", "bob", acl.ReadWrite), func(g *acl.Grant) { g.Maker = "ann" }), changed(grant("s", "ann", acl.ReadWrite), func(g *acl.Grant) { g.Maker = "bob" })}}, ann, "s", acl.None, "", 0},
		"all off":                              {facts{AgentSettings: settings(func(s *acl.Settings) { s.Enabled = false })}, ann, "ann", acl.None, "", 0},
		"all off, grants too":                  {facts{GrantList: []acl.Grant{grant("bob", "ann", acl.Read)}, AgentSettings: settings(func(s *acl.Settings) { s.Enabled = false })}, ann, "bob", acl.None, "", 0},
		"own store off":                        {facts{AgentSettings: settings(func(s *acl.Settings) { s.Self = false })}, ann, "ann", acl.None, "", 0},
		"own store off despite membership":     {facts{Sessions: agents{{"ann", "ann"}: member(future)}, Participants: agents{{"ann", "ann"}: member(future)}, AgentSettings: settings(func(s *acl.Settings) { s.Self = false })}, ann, "ann", acl.None, "", 0},
		"own store off leaves grants":          {facts{GrantList: []acl.Grant{grant("bob", "ann", acl.Read)}, AgentSettings: settings(func(s *acl.Settings) { s.Self = false })}, ann, "bob", acl.Read, acl.ViaGrant, acl.Confidential},
		"chats off":                            {facts{Participants: agents{{"chat", "ann"}: member(future)}, AgentSettings: settings(func(s *acl.Settings) { s.Chat = false })}, ann, "chat", acl.None, "", 0},
		"users off":                            {facts{Sessions: agents{{"user", "ann"}: member(future)}, AgentSettings: settings(func(s *acl.Settings) { s.User = false })}, ann, "user", acl.None, "", 0},
		"no agent, no access":                  {facts{}, acl.Principal{Taint: acl.Restricted}, "", acl.None, "", 0},
		"no taint, no access":                  {facts{}, acl.Principal{Agent: "ann"}, "ann", acl.None, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			access, err := acl.Decide(context.Background(), &c.facts, c.p, c.store, now)
			if c.level == acl.None {
				if !errors.Is(err, acl.ErrDenied) || access != (acl.Access{}) {
					t.Fatalf("%+v and error %v, want ErrDenied", access, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if access.Store != c.store || access.Level != c.level || access.Via != c.via || access.Ceiling != c.ceiling {
				t.Errorf("%+v, want %v by %s up to %v", access, c.level, c.via, c.ceiling)
			}
			if access.Number != c.facts.Numbers[c.store] {
				t.Errorf("number %d", access.Number)
			}
		})
	}
}

func TestAChainOfGrantsHasAtMostEightLinks(t *testing.T) {
	f := &acltest.Facts{}
	maker := "root" // the store's own agent
	for link := 1; link <= 9; link++ {
		agent := fmt.Sprintf("agent%d", link)
		g := grant("root", agent, acl.ReadWrite)
		g.Maker = maker
		f.GrantList = append(f.GrantList, g)
		maker = agent
		_, err := acl.Decide(context.Background(), f, caller(agent), "root", now)
		if want := link <= 8; (err == nil) != want {
			t.Errorf("link %d: error %v", link, err)
		}
		if in, err := acl.InEffect(context.Background(), f, g, now); err != nil || in != (link <= 8) {
			t.Errorf("link %d in effect: %v, error %v", link, in, err)
		}
	}
	// If a link expires, every later link ends with it.
	f.GrantList[2].ExpiresAt = now
	for link := 1; link <= 8; link++ {
		_, err := acl.Decide(context.Background(), f, caller(fmt.Sprintf("agent%d", link)), "root", now)
		if want := link <= 2; (err == nil) != want {
			t.Errorf("link %d after the third expired: error %v", link, err)
		}
	}
}

func TestAnErrorOfFactsIsReturnedWithoutAccess(t *testing.T) {
	broken := errors.New("disk failure")
	f := &acltest.Facts{Err: broken}
	if access, err := acl.Decide(context.Background(), f, caller("ann"), "ann", now); !errors.Is(err, broken) || errors.Is(err, acl.ErrDenied) || access != (acl.Access{}) {
		t.Errorf("Decide: %+v, error %v", access, err)
	}
	if scope, err := acl.NewScope(context.Background(), f, caller("ann"), acl.ScopeRequest{}, now); !errors.Is(err, broken) || !scope.Empty() {
		t.Errorf("NewScope: %+v, error %v", scope, err)
	}
}

func TestRequireFollowsTheOrderOfLevels(t *testing.T) {
	levels := []acl.Level{acl.None, acl.Search, acl.Read, acl.ReadWrite}
	for _, has := range levels {
		for _, needs := range levels {
			err := acl.Access{Level: has}.Require(needs)
			if want := has != acl.None && has >= needs; (err == nil) != want || err != nil && !errors.Is(err, acl.ErrDenied) {
				t.Errorf("has %v, needs %v: %v", has, needs, err)
			}
		}
	}
}
