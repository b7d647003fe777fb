package acl_test

import (
	"errors"
	"strings"
	"testing"

	"mneme/acl"
)

func TestCheckID(t *testing.T) {
	for _, id := range []string{"a", "A-z.0_9:@", "user@example.org", "...", "Self", "shared2", strings.Repeat("x", 128)} {
		if err := acl.CheckID(id); err != nil {
			t.Errorf("%q: %v", id, err)
		}
	}
	for _, id := range []string{"", ".", "..", "self", "shared", "a b", "a/b", "a%2f", "é", "a\x00", "a\n", strings.Repeat("x", 129)} {
		if err := acl.CheckID(id); !errors.Is(err, acl.ErrBadID) {
			t.Errorf("%q: error %v", id, err)
		}
	}
}

func TestPrincipalValidate(t *testing.T) {
	good := acl.Principal{Agent: "ann", Taint: acl.Public, Chat: "c", User: "u"}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*acl.Principal){
		"no agent":  func(p *acl.Principal) { p.Agent = "" },
		"bad agent": func(p *acl.Principal) { p.Agent = "self" },
		"no taint":  func(p *acl.Principal) { p.Taint = 0 },
		"bad taint": func(p *acl.Principal) { p.Taint = acl.Restricted + 1 },
		"bad chat":  func(p *acl.Principal) { p.Chat = "a b" },
		"bad user":  func(p *acl.Principal) { p.User = ".." },
	} {
		p := good
		if change(&p); p.Validate() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestLabelsFlowUpOnly(t *testing.T) {
	for l := acl.Label(0); l <= acl.Restricted+1; l++ {
		for ceiling := acl.Label(0); ceiling <= acl.Restricted+1; ceiling++ {
			want := l.Valid() && ceiling.Valid() && l <= ceiling
			if got := l.CanFlowTo(ceiling); got != want {
				t.Errorf("%d to %d: %v", l, ceiling, got)
			}
		}
	}
}

func TestLabelsAndLevelsRoundTripAsText(t *testing.T) {
	for l := acl.Public; l <= acl.Restricted; l++ {
		text, err := l.MarshalText()
		var back acl.Label
		if err != nil || back.UnmarshalText(text) != nil || back != l {
			t.Errorf("label %s came back as %s: %v", l, back, err)
		}
	}
	for l := acl.Search; l <= acl.ReadWrite; l++ {
		text, err := l.MarshalText()
		var back acl.Level
		if err != nil || back.UnmarshalText(text) != nil || back != l {
			t.Errorf("level %s came back as %s: %v", l, back, err)
		}
	}
	for _, name := range []string{"", "public", "Public", "SECRET", "none"} {
		if _, err := acl.ParseLabel(name); err == nil {
			t.Errorf("label %q: no error", name)
		}
	}
	for _, name := range []string{"", "none", "READ", "admin"} {
		if _, err := acl.ParseLevel(name); err == nil {
			t.Errorf("level %q: no error", name)
		}
	}
	if _, err := acl.Label(0).MarshalText(); err == nil {
		t.Error("the zero label has a name")
	}
}
