package oracle

import "fmt"

// Fact is a proposition that is true or false, such as the existence of a grant. The
// zero Fact is false.
type Fact struct{ may, mayNot bool }

// Set records a call that makes the fact true or false. A call without an answer may
// or may not have happened.
func (f *Fact) Set(holds, answered bool) {
	if *f == (Fact{}) {
		f.mayNot = true
	}
	if answered {
		*f = Fact{}
	}
	f.may, f.mayNot = f.may || holds, f.mayNot || !holds
}

// May reports whether the fact may have the value holds.
func (f *Fact) May(holds bool) bool {
	if holds {
		return f.may
	}
	return f.mayNot || *f == Fact{}
}

// See records that the service behaves as if the fact has the value holds. It returns an
// error if the fact cannot have that value.
func (f *Fact) See(holds bool) error {
	if !f.May(holds) {
		return fmt.Errorf("the service acts as if the fact is %v, but an acknowledged call made it %v", holds, !holds)
	}
	*f = Fact{may: holds, mayNot: !holds}
	return nil
}

// Counter is a number that several clients increment with a precondition.
type Counter struct {
	Acked   int // increments that were acknowledged
	Unknown int // increments without an answer
}

// See compares the counter with its stored number and version. Each increment creates
// a version, so the two must be equal.
func (c *Counter) See(number, version int) error {
	if number < c.Acked || number > c.Acked+c.Unknown {
		return fmt.Errorf("the counter is %d: %d increments were acknowledged, and %d had no answer", number, c.Acked, c.Unknown)
	}
	if version != number {
		return fmt.Errorf("the counter is %d in version %d", number, version)
	}
	*c = Counter{Acked: number}
	return nil
}

// ETags records the entity tags of entries. The zero value is ready for use.
type ETags struct{ versionOf, tagOf map[string]string }

// See records the ETag of a version of an entry. A version always has the same ETag, also
// after a restart, and no two versions have the same ETag.
func (t *ETags) See(id string, version int, tag string) error {
	if t.versionOf == nil {
		t.versionOf, t.tagOf = make(map[string]string), make(map[string]string)
	}
	one := fmt.Sprintf("%s/%d", id, version)
	if other, ok := t.versionOf[tag]; ok && other != one {
		return fmt.Errorf("two versions have the same ETag: %s and %s", other, one)
	}
	if other, ok := t.tagOf[one]; ok && other != tag {
		return fmt.Errorf("the ETag of %s has changed", one)
	}
	t.versionOf[tag], t.tagOf[one] = one, tag
	return nil
}
