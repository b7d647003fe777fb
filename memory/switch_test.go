package memory_test

import (
	"testing"

	"mneme/acl"
	"mneme/memory"
	"mneme/test/backendtest"
)

// Settings that a platform token turned off can be turned on only with a platform token. Every
// session reads the settings, so no session above PUBLIC can write them.
func TestAPlatformsSwitchNeedsAPlatformsToken(t *testing.T) {
	onEachStorage(t, func(t *testing.T, b backendtest.Backend) {
		h := open(t, b, memory.Limits{})
		platform := caller(acl.Principal{Agent: "platform", Taint: acl.Public, Platform: true})
		own := agent("alice", acl.Public)
		with := func(change func(*acl.Settings)) acl.Settings {
			s := acl.DefaultSettings()
			change(&s)
			return s
		}
		put := func(c memory.Caller, s acl.Settings, want int) {
			t.Helper()
			h.WantStatus(h.PutSettings(background, c, "alice", s), want)
		}
		all := acl.DefaultSettings()
		noSelf := with(func(s *acl.Settings) { s.Self = false })
		noChat := with(func(s *acl.Settings) { s.Chat = false })
		put(own, noChat, 200)
		put(own, all, 200) // the agent may turn on again what it turned off itself
		put(platform, noSelf, 200)
		h.PutText(own, "alice", "k", "x", 403)
		put(own, all, 403)
		put(own, with(func(s *acl.Settings) { s.Locked = 0 }), 403)
		both := noSelf
		both.Chat = false
		put(own, both, 200)
		put(own, noSelf, 200)
		put(own, noChat, 403)
		got, err := h.Settings(background, own, "alice")
		if err != nil || got.Locked != acl.SwitchSelf || got.Self || !got.Chat {
			t.Errorf("%+v, %v", got, err)
		}
		put(platform, all, 200)
		h.PutText(own, "alice", "k", "x", 201)
		put(own, noSelf, 200)
		put(own, all, 200)
		for label := acl.Internal; label <= acl.Restricted; label++ {
			put(agent("alice", label), noChat, 409)
		}
		put(agent("bob", acl.Public), all, 403)
	})
}
