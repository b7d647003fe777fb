package oracle

import (
	"testing"
	"time"
)

// Each service has the fault that its name describes. All histories begin with an
// entry with two versions, a deleted entry, and a purged entry.
func TestABrokenServiceIsCaught(t *testing.T) {
	put := func(value string) Call { return Call{Kind: Put, Path: tea, Value: value} }
	remove := Call{Kind: Delete, Path: tea}
	revert := Call{Kind: Revert, Path: tea, Version: 1, Keep: keep}
	undelete := Call{Kind: Undelete, Path: coffee}
	lines := Call{Kind: Import, Lines: []Call{put("line 1"), {Kind: Put, Path: coffee, Value: "line 2"}}}
	// show returns the views after change has changed the view of path.
	show := func(s *service, path Path, change func(*View)) []View {
		views := s.views()
		for i := range views {
			if views[i].Path == path {
				change(&views[i])
			}
		}
		return views
	}
	acked := func(s *service, call Call) ([]Call, []Answer) { return []Call{call}, []Answer{s.do(call, s.now())} }
	for name, history := range map[string]func(s *service) (calls []Call, answers []Answer, views []View){
		"an acknowledged write was lost": func(s *service) ([]Call, []Answer, []View) {
			before := s.state
			calls, answers := acked(s, put("third"))
			s.state = before
			return calls, answers, s.views()
		},
		"an acknowledged write was replaced by an older one": func(s *service) ([]Call, []Answer, []View) {
			calls, answers := acked(s, put("third"))
			return calls, answers, show(s, tea, func(v *View) { v.Value = "second" })
		},
		"an acknowledged delete was lost": func(s *service) ([]Call, []Answer, []View) {
			before := s.state
			calls, answers := acked(s, remove)
			s.state = before
			return calls, answers, s.views()
		},
		"a write appeared that nobody made": func(s *service) ([]Call, []Answer, []View) {
			s.do(put("from nowhere"), s.now())
			return nil, nil, s.views()
		},
		"a write without an answer lacks its history": func(s *service) ([]Call, []Answer, []View) {
			s.do(put("third"), s.now())
			return []Call{put("third")}, []Answer{{}}, show(s, tea, func(v *View) { v.Versions = v.Versions[:1] })
		},
		"a write without an answer has history, but no row": func(s *service) ([]Call, []Answer, []View) {
			return []Call{put("third")}, []Answer{{}}, show(s, tea, func(v *View) { v.Versions = append([]string{"third"}, v.Versions...) })
		},
		"a write without an answer has its row, but the old words": func(s *service) ([]Call, []Answer, []View) {
			s.do(put("third"), s.now())
			return []Call{put("third")}, []Answer{{}}, show(s, tea, func(v *View) { v.Words["second"], v.Words["third"] = true, false })
		},
		"a write without an answer has its words, but no row": func(s *service) ([]Call, []Answer, []View) {
			return []Call{put("third")}, []Answer{{}}, show(s, tea, func(v *View) { v.Words["third"] = true })
		},
		"the list shows another version": func(s *service) ([]Call, []Answer, []View) {
			return nil, nil, show(s, tea, func(v *View) { v.Listed = 1 })
		},
		"a deleted entry is shown": func(s *service) ([]Call, []Answer, []View) {
			calls, answers := acked(s, remove)
			return calls, answers, show(s, tea, func(v *View) { v.Found, v.Version, v.Value, v.Listed = true, 2, "second", 2 })
		},
		"a deleted entry is listed": func(s *service) ([]Call, []Answer, []View) {
			calls, answers := acked(s, remove)
			return calls, answers, show(s, tea, func(v *View) { v.Listed = 2 })
		},
		"a deleted entry is found by its words": func(s *service) ([]Call, []Answer, []View) {
			calls, answers := acked(s, remove)
			return calls, answers, show(s, tea, func(v *View) { v.Words["second"] = true })
		},
		"a deleted entry is found by its vector": func(s *service) ([]Call, []Answer, []View) {
			calls, answers := acked(s, remove)
			return calls, answers, show(s, tea, func(v *View) { v.Vectors["second"] = true })
		},
		"a search shows a deleted entry": func(s *service) ([]Call, []Answer, []View) {
			calls, answers := acked(s, remove)
			return calls, answers, show(s, tea, func(v *View) { v.Hits = []string{"second"} })
		},
		"a search shows an older version": func(s *service) ([]Call, []Answer, []View) {
			return nil, nil, show(s, tea, func(v *View) { v.Hits = []string{"first"} })
		},
		"a live entry is not found by its vector": func(s *service) ([]Call, []Answer, []View) {
			return nil, nil, show(s, tea, func(v *View) { v.Vectors["second"] = false })
		},
		"a deleted entry is not in the trash": func(s *service) ([]Call, []Answer, []View) {
			calls, answers := acked(s, remove)
			return calls, answers, show(s, tea, func(v *View) { v.Trash = nil })
		},
		"a purged entry is in the trash": func(s *service) ([]Call, []Answer, []View) {
			return nil, nil, show(s, abroad, func(v *View) { v.Trash = []TrashRow{{"3", 1, "erased"}} })
		},
		"a purged entry was restored": func(s *service) ([]Call, []Answer, []View) {
			return []Call{{Kind: Undelete, Path: abroad}}, []Answer{{Status: 200, ID: "3", Version: 2}}, s.views()
		},
		"an idempotency key was applied twice": func(s *service) ([]Call, []Answer, []View) {
			s.do(revert, s.now())
			return []Call{revert}, []Answer{s.do(revert, s.now())}, s.views()
		},
		"a version was skipped": func(s *service) ([]Call, []Answer, []View) {
			_, answers := acked(s, put("third"))
			answers[0].Version++
			return []Call{put("third")}, answers, s.views()
		},
		"a restore brought back another entry": func(s *service) ([]Call, []Answer, []View) {
			_, answers := acked(s, undelete)
			answers[0].ID = "1"
			return []Call{undelete}, answers, s.views()
		},
		"an entry changed its id": func(s *service) ([]Call, []Answer, []View) {
			return nil, nil, show(s, tea, func(v *View) { v.ID = "9" })
		},
		"a stale precondition was accepted": func(s *service) ([]Call, []Answer, []View) {
			stale := put("third")
			_, answers := acked(s, stale)
			stale.If = Outdated
			return []Call{stale}, answers, s.views()
		},
		"a rename left the entry in both places": func(s *service) ([]Call, []Answer, []View) {
			before := s.state[tea]
			calls, answers := acked(s, Call{Kind: Rename, Path: tea, To: coffee})
			s.state = s.state.with(tea, before)
			return calls, answers, s.views()
		},
		"a rename without an answer lost the entry": func(s *service) ([]Call, []Answer, []View) {
			s.state = s.state.with(tea, Slot{})
			return []Call{{Kind: Rename, Path: tea, To: coffee}}, []Answer{{}}, s.views()
		},
		"an import wrote its second line without the first": func(s *service) ([]Call, []Answer, []View) {
			s.do(lines.Lines[1], s.now())
			return []Call{lines}, []Answer{{}}, s.views()
		},
		"an acknowledged import wrote only its first line": func(s *service) ([]Call, []Answer, []View) {
			s.do(lines.Lines[0], s.now())
			return []Call{lines}, []Answer{{Status: 200}}, s.views()
		},
		"an expired entry is shown": func(s *service) ([]Call, []Answer, []View) {
			short := put("third")
			short.TTL = time.Second
			calls, answers := acked(s, short)
			return calls, answers, show(s, tea, func(v *View) { v.At = v.At.add(time.Minute) })
		},
		"an entry expired early": func(s *service) ([]Call, []Answer, []View) {
			long := put("third")
			long.TTL = time.Hour
			calls, answers := acked(s, long)
			s.state = s.state.with(tea, Slot{})
			return calls, answers, s.views()
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, c := newService(), New()
			do := func(call Call) {
				at := s.now()
				var err error
				if c, err = c.Do(call, at, s.do(call, at), s.purges); err != nil {
					t.Fatal(err)
				}
			}
			do(put("first"))
			do(put("second"))
			do(Call{Kind: Put, Path: abroad, Value: "erased"})
			do(Call{Kind: Delete, Path: abroad})
			s.purge()
			do(Call{Kind: Put, Path: coffee, Value: "deleted"})
			do(Call{Kind: Delete, Path: coffee})
			c, err := c.See(s.views(), s.purges)
			if err != nil {
				t.Fatal(err)
			}
			from := s.clock
			calls, answers, views := history(s)
			for i, call := range calls {
				if c, err = c.Do(call, Window{from, s.clock}, answers[i], s.purges); err != nil {
					t.Log(err)
					return
				}
			}
			if _, err = c.See(views, s.purges); err == nil {
				t.Fatalf("the oracle accepts it:\n%v", c)
			}
			t.Log(err)
		})
	}
}

func TestAWrongGrantIsCaught(t *testing.T) {
	var grant Fact
	if grant.See(true) == nil {
		t.Error("the oracle accepts a grant that nobody made")
	}
	grant = Fact{}
	grant.Set(true, true)
	if grant.See(false) == nil {
		t.Error("the oracle accepts a lost grant")
	}
	grant.Set(false, true)
	if grant.See(true) == nil {
		t.Error("the oracle accepts a revoked grant")
	}
	grant.Set(true, false) // without an answer: both are possible until a read shows which
	if err := grant.See(true); err != nil {
		t.Error(err)
	}
	if grant.See(false) == nil {
		t.Error("the oracle accepts that a visible grant disappears")
	}
}

func TestALostIncrementIsCaught(t *testing.T) {
	for name, wrong := range map[string]struct{ number, version int }{
		"lost":          {9, 9},
		"applied twice": {13, 13},
		"half-written":  {11, 10},
	} {
		if c := (Counter{Acked: 10, Unknown: 2}); c.See(wrong.number, wrong.version) == nil {
			t.Errorf("the oracle accepts a counter %s: %+v", name, wrong)
		}
	}
	if c := (Counter{Acked: 10, Unknown: 2}); c.See(11, 11) != nil {
		t.Error("the oracle rejects a correct counter")
	}
}

func TestAChangedETagIsCaught(t *testing.T) {
	var tags ETags
	for _, version := range []int{1, 1, 2} {
		if err := tags.See("1", version, string(rune('`'+version))); err != nil {
			t.Error(err)
		}
	}
	if tags.See("1", 1, "c") == nil {
		t.Error("the oracle accepts a changed ETag")
	}
	if tags.See("2", 1, "a") == nil {
		t.Error("the oracle accepts one ETag of two versions")
	}
}
