package acl_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mneme/acl"
	"mneme/acl/acltest"
)

// annFacts returns facts in which ann has every kind of relation to a store.
func annFacts() *acltest.Facts {
	return &acltest.Facts{
		Numbers: map[string]int64{"ann": 1, "granted": 2, "searchable": 3, "chat": 5, "user": 6, "secret": 7},
		GrantList: []acl.Grant{
			grant("granted", "ann", acl.Read),
			changed(grant("searchable", "ann", acl.Search), func(g *acl.Grant) { g.MaxLabel = acl.Public }),
			grant("unwritten", "ann", acl.Read),
			changed(grant("expired", "ann", acl.Read), func(g *acl.Grant) { g.ExpiresAt = now }),
			changed(grant("orphaned", "ann", acl.Read), func(g *acl.Grant) { g.Maker = "eve" }),
			grant("secret", "eve", acl.ReadWrite),
		},
		Participants: map[[2]string]acl.Membership{{"chat", "ann"}: member(future), {"chat2", "ann"}: member(future), {"left", "ann"}: member(past)},
		Sessions:     map[[2]string]acl.Membership{{"user", "ann"}: member(future), {"user2", "ann"}: member(future)},
	}
}

func names(scope acl.Scope) string {
	var ids []string
	for _, access := range scope.Stores() {
		ids = append(ids, access.Store)
	}
	return strings.Join(ids, " ")
}

func TestScope(t *testing.T) {
	with := func(chat, user string) acl.Principal { p := caller("ann"); p.Chat, p.User = chat, user; return p }
	for name, c := range map[string]struct {
		p       acl.Principal
		request acl.ScopeRequest
		want    string // "denied" for ErrDenied
	}{
		"own and granted, no chat or user unnamed": {with("", ""), acl.ScopeRequest{}, "ann granted searchable unwritten"},
		"the request names a chat":                 {with("", ""), acl.ScopeRequest{Chat: "chat"}, "ann chat granted searchable unwritten"},
		"the request names a user":                 {with("", ""), acl.ScopeRequest{User: "user"}, "ann granted searchable unwritten user"},
		"the request names both":                   {with("", ""), acl.ScopeRequest{Chat: "chat", User: "user"}, "ann chat granted searchable unwritten user"},
		"a chat that was left":                     {with("", ""), acl.ScopeRequest{Chat: "left"}, "ann granted searchable unwritten"},
		"an unknown chat and user":                 {with("", ""), acl.ScopeRequest{Chat: "x", User: "y"}, "ann granted searchable unwritten"},
		"the token claims a chat":                  {with("chat", ""), acl.ScopeRequest{}, "ann chat granted searchable unwritten"},
		"the token claims both":                    {with("chat", "user"), acl.ScopeRequest{}, "ann chat granted searchable unwritten user"},
		"claims exclude other chats and users":     {with("chat", ""), acl.ScopeRequest{Chat: "chat2", User: "user"}, "ann chat granted searchable unwritten"},
		"named stores and nothing else":            {with("chat", ""), acl.ScopeRequest{Stores: []string{"granted", "ann"}}, "ann granted"},
		"chat and user do not widen named stores":  {with("", ""), acl.ScopeRequest{Stores: []string{"ann"}, Chat: "chat", User: "user"}, "ann"},
		"a store named twice":                      {with("", ""), acl.ScopeRequest{Stores: []string{"ann", "granted", "ann"}}, "ann granted"},
		"a chat and a user named as stores":        {with("", ""), acl.ScopeRequest{Stores: []string{"user2", "chat2"}}, "chat2 user2"},
		"a named store without a level":            {with("", ""), acl.ScopeRequest{Stores: []string{"ann", "secret"}}, "denied"},
		"a named store that nobody knows":          {with("", ""), acl.ScopeRequest{Stores: []string{"ann", "nowhere"}}, "denied"},
		"a named store whose grant expired":        {with("", ""), acl.ScopeRequest{Stores: []string{"expired"}}, "denied"},
		"a named store whose grant is orphaned":    {with("", ""), acl.ScopeRequest{Stores: []string{"orphaned"}}, "denied"},
		"a named chat besides the claimed one":     {with("chat", ""), acl.ScopeRequest{Stores: []string{"chat2"}}, "denied"},
		"a stranger has its own store":             {caller("zoe"), acl.ScopeRequest{Chat: "chat", User: "user"}, "zoe"},
		"a platform token adds no store":           {acl.Principal{Agent: "ops", Taint: acl.Restricted, Platform: true}, acl.ScopeRequest{Chat: "chat", User: "user"}, "ops"},
		"no agent":                                 {acl.Principal{}, acl.ScopeRequest{Chat: "chat", User: "user"}, ""},
		"no taint":                                 {acl.Principal{Agent: "ann"}, acl.ScopeRequest{Chat: "chat"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			scope, err := acl.NewScope(context.Background(), annFacts(), c.p, c.request, now)
			if c.want == "denied" {
				if !errors.Is(err, acl.ErrDenied) || !scope.Empty() {
					t.Fatalf("%q and error %v, want ErrDenied", names(scope), err)
				}
				return
			}
			if got := names(scope); err != nil || got != c.want {
				t.Errorf("%q and error %v, want %q", got, err, c.want)
			}
		})
	}
}

func TestStoreKindsThatAreOffAreLeftOutOfSearches(t *testing.T) {
	for name, c := range map[string]struct {
		settings acl.Settings
		want     string
	}{
		"all off":  {acl.Settings{Self: true, Chat: true, User: true}, ""},
		"self off": {acl.Settings{Enabled: true, Chat: true, User: true}, "chat granted searchable unwritten user"},
		"chat off": {acl.Settings{Enabled: true, Self: true, User: true}, "ann granted searchable unwritten user"},
		"user off": {acl.Settings{Enabled: true, Self: true, Chat: true}, "ann chat granted searchable unwritten"},
	} {
		t.Run(name, func(t *testing.T) {
			f := annFacts()
			f.AgentSettings = map[string]acl.Settings{"ann": c.settings}
			if got := names(f.Scope(t, caller("ann"), acl.ScopeRequest{Chat: "chat", User: "user"})); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestScopeHoldsEachStoresCeiling(t *testing.T) {
	scope := annFacts().Scope(t, caller("ann"), acl.ScopeRequest{})
	for store, ceiling := range map[string]acl.Label{"ann": acl.Confidential, "searchable": acl.Public, "secret": 0, "": 0} {
		for label := acl.Label(0); label <= acl.Restricted+1; label++ {
			if got, want := scope.Allows(store, label), label >= acl.Public && label <= ceiling; got != want {
				t.Errorf("%q at %d: %v, want %v", store, label, got, want)
			}
		}
	}
}

func TestTheZeroScopeMatchesNothing(t *testing.T) {
	var scope acl.Scope
	if _, ok := scope.Access(""); ok || !scope.Empty() || len(scope.Stores()) > 0 || len(scope.Indexed()) > 0 || scope.Allows("", acl.Public) {
		t.Error("the zero scope matches something")
	}
}

func TestAScopeCannotBeChangedThroughItsResults(t *testing.T) {
	scope := annFacts().Scope(t, caller("ann"), acl.ScopeRequest{})
	for _, accesses := range [][]acl.Access{scope.Stores(), scope.Indexed()} {
		for i := range accesses {
			accesses[i] = acl.Access{Store: "secret", Number: 7, Level: acl.ReadWrite, Ceiling: acl.Restricted}
		}
	}
	less := scope.Without(func(a acl.Access) bool { return a.Level == acl.Search })
	if got := names(less); got != "ann granted unwritten" {
		t.Errorf("without search: %q", got)
	}
	if got := names(scope); got != "ann granted searchable unwritten" {
		t.Errorf("changed to %q", got)
	}
	for _, access := range scope.Indexed() {
		if access.Number == 0 || access.Store == "unwritten" || access.Number == 7 {
			t.Errorf("indexed: %+v", access)
		}
	}
}

// drawFacts draws facts about a few agents, whose ids are also ids of stores, and
// a principal. Each rule of the cascade often applies and often does not.
func drawFacts(r *rapid.T) (*acltest.Facts, acl.Principal) {
	agents, stores := []string{"a", "b", "c", "d"}, []string{"a", "b", "c", "d", "chat", "user"}
	when := rapid.SampledFrom([]time.Time{{}, past, now, future})
	f := &acltest.Facts{
		Numbers:       map[string]int64{"a": 1, "chat": 2, "user": 3},
		Participants:  map[[2]string]acl.Membership{},
		Sessions:      map[[2]string]acl.Membership{},
		AgentSettings: map[string]acl.Settings{},
	}
	coin := func(what string) bool { return rapid.Bool().Draw(r, what) }
	for _, agent := range agents {
		f.Participants[[2]string{"chat", agent}] = acl.Membership{Present: coin("in chat"), ExpiresAt: when.Draw(r, "until")}
		f.Sessions[[2]string{"user", agent}] = acl.Membership{Present: coin("session"), ExpiresAt: when.Draw(r, "until")}
		if coin("settings") {
			f.AgentSettings[agent] = acl.Settings{Enabled: coin("enabled"), Self: coin("self"), Chat: coin("chat"), User: coin("user")}
		}
		for _, store := range stores {
			for label := acl.Public; label <= acl.Restricted && store != agent; label++ {
				if rapid.IntRange(0, 5).Draw(r, "grant") > 0 {
					continue
				}
				f.GrantList = append(f.GrantList, acl.Grant{
					Store: store, Grantee: agent, Level: acl.Level(rapid.IntRange(1, 3).Draw(r, "level")),
					MaxLabel: acl.Label(rapid.IntRange(1, 4).Draw(r, "max")), ExpiresAt: when.Draw(r, "until"),
					Maker: rapid.SampledFrom(agents).Draw(r, "maker"), ByPlatform: rapid.IntRange(0, 5).Draw(r, "platform") == 0,
					Label: label, Accepted: acl.Label(rapid.IntRange(0, 4).Draw(r, "accepted")),
				})
			}
		}
	}
	return f, acl.Principal{
		Agent: rapid.SampledFrom(agents).Draw(r, "caller"), Taint: acl.Label(rapid.IntRange(1, 4).Draw(r, "taint")),
		Chat: rapid.SampledFrom([]string{"", "", "chat", "other"}).Draw(r, "claim"), User: rapid.SampledFrom([]string{"", "", "user", "other"}).Draw(r, "claim"),
	}
}

// wantAccess is a second implementation of the specified access of an agent to a
// store, whatever the request: readwrite for the store's own agent or a current
// member, otherwise the level and label of its grant.
func wantAccess(f *acltest.Facts, agent, store string, taint acl.Label, links int) (acl.Level, acl.Label) {
	for _, m := range []acl.Membership{f.Participants[[2]string{store, agent}], f.Sessions[[2]string{store, agent}]} {
		if m.Present && !ends(m.ExpiresAt) {
			return acl.ReadWrite, acl.Restricted
		}
	}
	if agent == store {
		return acl.ReadWrite, acl.Restricted
	}
	return wantGrant(f, agent, store, taint, links)
}

// wantGrant returns the level and label of the agent's grant of the store in a session:
// of the grants in effect, the one with the highest label up to the taint counts. links
// limits the length of the chain from this grant on.
func wantGrant(f *acltest.Facts, agent, store string, taint acl.Label, links int) (acl.Level, acl.Label) {
	for label := taint; label >= acl.Public; label-- {
		for _, g := range f.GrantList {
			if g.Store != store || g.Grantee != agent || g.Label != label || ends(g.ExpiresAt) || links == 0 {
				continue
			}
			if g.ByPlatform {
				return g.Level, g.MaxLabel
			}
			if level, ceiling := wantAccess(f, g.Maker, store, label, links-1); level == acl.ReadWrite {
				return g.Level, min(g.MaxLabel, ceiling)
			}
		}
	}
	return acl.None, 0
}

func ends(at time.Time) bool { return !at.IsZero() && !at.After(now) }

func TestDecideFollowsTheSpecification(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		f, p := drawFacts(r)
		settings, _ := f.Settings(context.Background(), p.Agent)
		free := p.Chat == "" && p.User == ""
		mine := &acltest.Facts{} // the memberships that this call may use
		if settings.Chat && (free || p.Chat == "chat") {
			mine.Participants = f.Participants
		}
		if settings.User && (free || p.User == "user") {
			mine.Sessions = f.Sessions
		}
		for _, store := range []string{"a", "b", "c", "d", "chat", "user", "nowhere"} {
			level, ceiling := acl.None, acl.Label(0)
			switch {
			case !settings.Enabled, store == p.Agent && !settings.Self:
			default:
				// For the caller, only the memberships that this call may use
				// count; for the makers of its grants, all memberships.
				if level, ceiling = wantAccess(mine, p.Agent, store, p.Taint, 0); level == acl.None {
					level, ceiling = wantGrant(f, p.Agent, store, p.Taint, 8)
				}
			}
			access, err := acl.Decide(context.Background(), f, p, store, now)
			if level == acl.None {
				if !errors.Is(err, acl.ErrDenied) {
					r.Fatalf("%s on %s: %+v, error %v, want ErrDenied", p.Agent, store, access, err)
				}
				continue
			}
			if err != nil || access.Level != level || access.Ceiling != min(ceiling, p.Taint) {
				r.Fatalf("%s on %s: %+v, error %v, want %v up to %v", p.Agent, store, access, err, level, min(ceiling, p.Taint))
			}
		}
	})
}

// TestScopeAndCascadeAgree checks that a search without named stores covers exactly
// the stores that the caller could search by name, except those of chats and users
// that nobody named, and that naming a store gives the same access.
func TestScopeAndCascadeAgree(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		f, p := drawFacts(r)
		ctx := context.Background()
		wide, err := acl.NewScope(ctx, f, p, acl.ScopeRequest{Chat: "chat", User: "user", Unaccepted: true}, now)
		if err != nil {
			r.Fatal(err)
		}
		narrow, err := acl.NewScope(ctx, f, p, acl.ScopeRequest{}, now)
		if err != nil {
			r.Fatal(err)
		}
		for _, store := range []string{"a", "b", "c", "d", "chat", "user", "nowhere"} {
			access, err := acl.Decide(ctx, f, p, store, now)
			found, ok := wide.Access(store)
			if ok != (err == nil) || found != access {
				r.Fatalf("%s: scope %+v, cascade %+v, error %v", store, found, access, err)
			}
			named, err2 := acl.NewScope(ctx, f, p, acl.ScopeRequest{Stores: []string{store}}, now)
			if (err == nil) != (err2 == nil) || err == nil && named.Stores()[0] != access {
				r.Fatalf("%s: named %+v, cascade %+v", store, named, access)
			}
			if less, ok := narrow.Access(store); ok && less.Unaccepted && p.Chat != store && p.User != store {
				r.Fatalf("%s was searched though it was neither named nor accepted", store)
			} else if ok && p.Chat != store && p.User != store && (less.Via == acl.ViaChat || less.Via == acl.ViaUser) {
				r.Fatalf("%s was searched though nobody named it", store)
			}
		}
		if !slices.IsSortedFunc(wide.Stores(), func(a, b acl.Access) int { return strings.Compare(a.Store, b.Store) }) {
			r.Fatal("the stores are out of order")
		}
	})
}

// TestSessionsAboveTheTaintChangeNothing checks that grants with labels above the caller's
// taint, whoever made them, and acceptances in sessions above it change no access.
func TestSessionsAboveTheTaintChangeNothing(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		f, p := drawFacts(r)
		less := *f
		less.GrantList = nil
		for _, g := range f.GrantList {
			if g.Label > p.Taint {
				continue
			}
			if g.Accepted > p.Taint {
				g.Accepted = 0
			}
			less.GrantList = append(less.GrantList, g)
		}
		ctx := context.Background()
		for _, request := range []acl.ScopeRequest{{Chat: "chat", User: "user"}, {Unaccepted: true}, {Stores: []string{"b"}}, {Stores: []string{"chat"}}} {
			got := fmt.Sprint(acl.NewScope(ctx, f, p, request, now))
			if want := fmt.Sprint(acl.NewScope(ctx, &less, p, request, now)); got != want {
				r.Fatalf("%+v: %s, want %s", request, got, want)
			}
		}
	})
}

// TestOthersFactsChangeNothing checks that neither grants to other agents nor
// memberships that the request does not name change an access.
func TestOthersFactsChangeNothing(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		f, p := drawFacts(r)
		ctx := context.Background()
		before := fmt.Sprint(acl.NewScope(ctx, f, p, acl.ScopeRequest{Chat: "chat"}, now))
		for i := range 3 {
			store := fmt.Sprintf("elsewhere%d", i)
			f.GrantList = append(f.GrantList, acl.Grant{Store: store, Grantee: "stranger", Level: acl.ReadWrite, MaxLabel: acl.Restricted, ByPlatform: true, Label: acl.Public, Accepted: acl.Public})
			f.Participants[[2]string{store, p.Agent}] = member(time.Time{}) // not named
			f.Sessions[[2]string{store, p.Agent}] = member(time.Time{})
			f.Numbers[store] = int64(100 + i)
		}
		if after := fmt.Sprint(acl.NewScope(ctx, f, p, acl.ScopeRequest{Chat: "chat"}, now)); after != before {
			r.Fatalf("%s became %s", before, after)
		}
	})
}
