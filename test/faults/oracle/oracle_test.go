package oracle

import (
	"math/rand/v2"
	"strconv"
	"testing"
	"time"
)

// service is a minimal correct service with one client. It answers calls from one
// state. The tests break it.
type service struct {
	state  State
	purges Purges
	clock  time.Time
	values []string // all values ever written
	ids    int
}

func newService() *service { return &service{state: State{}, clock: time.Unix(1e9, 0)} }

// now returns a window and moves the clock on.
func (s *service) now() Window {
	w := Window{s.clock, s.clock.Add(5 * time.Millisecond)}
	s.clock = s.clock.Add(20 * time.Millisecond)
	return w
}

// do makes a call and returns its answer.
func (s *service) do(call Call, at Window) Answer {
	for _, c := range append([]Call{call}, call.Lines...) {
		if c.Value != "" {
			s.values = append(s.values, c.Value)
		}
	}
	o := s.state.outcomes(call, at, s.purges, false)[0]
	answer := o.answer
	if answer.Version > 0 && answer.ID == "" {
		s.ids++
		answer.ID = strconv.Itoa(s.ids)
	}
	s.state = o.state.withAnswer(call, answer)
	return answer
}

// purge erases everything in the trash.
func (s *service) purge() {
	at := s.now()
	s.purges = append(s.purges, Purge{Cutoff: at.From, At: at, Acked: true})
	for path, slot := range s.state {
		slot.Trash = nil
		s.state = s.state.with(path, slot)
	}
}

// view returns the view of a path.
func (s *service) view(path Path) View {
	v := View{Path: path, At: s.now(), Keep: keep, Words: make(map[string]bool), Vectors: make(map[string]bool)}
	slot := s.state[path]
	if e := slot.Live; e != nil && !e.mayBeExpired(v.At) {
		v.Found, v.ID, v.Version, v.Value, v.Listed = true, e.ID, len(e.Values), e.value(), len(e.Values)
		for i := len(e.Values) - 1; i >= 0; i-- {
			v.Versions = append(v.Versions, e.Values[i])
		}
	}
	for i := len(slot.Trash) - 1; i >= 0; i-- {
		e := slot.Trash[i]
		v.Trash = append(v.Trash, TrashRow{e.ID, len(e.Values), e.value()})
	}
	for _, value := range s.values {
		v.Words[value] = v.Found && v.Value == value
		v.Vectors[value] = v.Words[value]
	}
	return v
}

// keep is the length of the service's histories: unlimited.
const keep = 1000

// Paths of the tests.
var (
	tea    = Path{"a", "tea"}
	coffee = Path{"a", "coffee"}
	abroad = Path{"b", "tea"}
)

func (s *service) views() []View { return []View{s.view(tea), s.view(coffee), s.view(abroad)} }

// randomCall returns a random call on the paths.
func randomCall(rng *rand.Rand, n int) Call {
	paths := []Path{tea, coffee, abroad}
	path := paths[rng.IntN(3)]
	value := "value " + strconv.Itoa(n)
	switch rng.IntN(9) {
	case 0:
		return Call{Kind: Delete, Path: path}
	case 1:
		return Call{Kind: Undelete, Path: path}
	case 2:
		return Call{Kind: Revert, Path: path, Version: 1 + rng.IntN(3), Keep: keep}
	case 3, 4:
		to := paths[rng.IntN(3)]
		if to != path {
			return Call{Kind: Rename, Path: path, To: to}
		}
	case 5:
		return Call{Kind: Import, Lines: []Call{
			{Kind: Put, Path: tea, Value: value + " line 1"}, {Kind: Put, Path: coffee, Value: value + " line 2"},
		}}
	case 6:
		return Call{Kind: Put, Path: path, Value: value, If: Condition(rng.IntN(4))}
	}
	return Call{Kind: Put, Path: path, Value: value}
}

// The oracle accepts a correct service whose calls are answered, or cut off before or
// after they happen, and whose trash is purged now and then.
func TestACorrectServiceIsAccepted(t *testing.T) {
	unknown := 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // a reproducible history
		s, c := newService(), New()
		for n := range 60 {
			if rng.IntN(15) == 0 {
				s.purge()
			}
			call, at := randomCall(rng, n), s.now()
			var answer Answer
			switch rng.IntN(6) {
			case 0: // killed before it happened
				unknown++
			case 1: // killed after it happened
				unknown++
				s.do(call, at)
			default:
				answer = s.do(call, at)
			}
			var err error
			if c, err = c.Do(call, at, answer, s.purges); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if c, err = c.See(s.views(), s.purges); err != nil {
				t.Fatalf("seed %d, after %+v: %v", seed, call, err)
			}
		}
	}
	t.Logf("%d calls without an answer", unknown)
}
