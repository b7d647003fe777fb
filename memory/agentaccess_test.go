package memory_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"mneme/acl"
	"mneme/memory"
	"mneme/test/backendtest"
)

// For each taint of an agent, a platform sees the same access as the agent itself, and the
// chain of grants behind each level.
func TestAccessEqualsTheAgentsOwnView(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		platform := memory.Caller{Principal: acl.Principal{Agent: "platform", Taint: acl.Restricted, Platform: true}}
		at := func(agent string, taint acl.Label) memory.Caller {
			return memory.Caller{Principal: backendtest.Principal(agent, taint)}
		}
		share := func(c memory.Caller, store, grantee string, level acl.Level, most acl.Label, ttl *time.Duration) {
			t.Helper()
			if _, err := h.Share(background, c, memory.ShareRequest{Store: store, Grantee: grantee, Level: level, MaxLabel: most, TTL: ttl}); err != nil {
				t.Fatal(err)
			}
		}
		hour := time.Hour
		share(at("alice", acl.Public), "alice", "bob", acl.ReadWrite, acl.Public, nil)
		share(at("bob", acl.Public), "alice", "carol", acl.Search, acl.Public, &hour)
		share(platform, "dave", "carol", acl.Read, acl.Confidential, nil)
		if err := errors.Join(h.PutParticipant(background, platform, "room", "carol", nil), h.PutSession(background, platform, "ulla", "carol", &hour)); err != nil {
			t.Fatal(err)
		}
		for _, taint := range []acl.Label{acl.Public, acl.Internal, acl.Restricted} {
			found, err := h.Access(background, platform, memory.AccessRequest{Agent: "carol", Taint: taint, Chat: "room", User: "ulla"})
			if err != nil {
				t.Fatal(err)
			}
			own := at("carol", taint)
			own.Chat, own.User = "room", "ulla"
			infos, err := h.Stores(background, own, "", "")
			if err != nil {
				t.Fatal(err)
			}
			var told []memory.StoreInfo
			for _, a := range found.Stores {
				told = append(told, a.StoreInfo)
				if want := map[string][]string{"alice": {"bob", "alice"}, "dave": {"platform"}}[a.Store]; !slices.Equal(a.Makers, want) || (a.Grant != nil) != (want != nil) {
					t.Errorf("%s comes from %q, %+v", a.Store, a.Makers, a.Grant)
				}
				if most := map[string]acl.Label{"alice": acl.Public, "dave": min(taint, acl.Confidential)}[a.Store]; most != 0 && a.MaxLabel != most || most == 0 && a.MaxLabel != taint {
					t.Errorf("%s at %v: up to %v", a.Store, taint, a.MaxLabel)
				}
			}
			if !reflect.DeepEqual(told, infos) || len(told) != 5 || !found.Settings.Enabled {
				t.Errorf("%+v, want %+v", told, infos)
			}
		}
		// An access that ends by the agent's settings is no longer shown. To ask for it changes
		// nothing.
		if err := h.PutSettings(background, platform, "carol", acl.Settings{Enabled: true, Self: false, Chat: true, User: true}); err != nil {
			t.Fatal(err)
		}
		if err := h.Unshare(background, at("alice", acl.Public), "alice", "bob"); err != nil {
			t.Fatal(err)
		}
		found, err := h.Access(background, platform, memory.AccessRequest{Agent: "carol", Taint: acl.Public})
		if err != nil || found.Settings.Self || len(found.Stores) != 1 || found.Stores[0].Store != "dave" {
			t.Errorf("%+v, %v", found, err)
		}
		// Only a platform token may ask, even about the agent's own access.
		for _, c := range []memory.Caller{at("alice", acl.Restricted), at("carol", acl.Public), {}} {
			if _, err := h.Access(background, c, memory.AccessRequest{Agent: "carol", Taint: acl.Public}); !errors.Is(err, acl.ErrDenied) {
				t.Errorf("%+v: %v", c, err)
			}
		}
		var broken *memory.RuleError
		if _, err := h.Access(background, platform, memory.AccessRequest{Agent: "carol"}); !errors.As(err, &broken) || broken.Field != "taint" {
			t.Errorf("without taint: %v", err)
		}
		for _, r := range []memory.AccessRequest{{Agent: "a b", Taint: acl.Public}, {Agent: "a", Taint: acl.Public, Chat: ".."}} {
			if _, err := h.Access(background, platform, r); !errors.Is(err, acl.ErrBadID) {
				t.Errorf("%+v: %v", r, err)
			}
		}
	})
}
