package period

import (
	"errors"
	"regexp"
	"time"
)

// ErrZone reports an invalid name of a zone.
var ErrZone = errors.New("must be a time zone such as Europe/Berlin, or an offset such as +02:00")

// maxZone bounds the name of a zone, in bytes.
const maxZone = 64

var offset = regexp.MustCompile(`^[+-]([01]\d|2[0-3]):[0-5]\d$`)

// Zone returns a time zone by its name in the IANA database or its offset from UTC,
// hours and minutes; "" is UTC. The error is ErrZone. Names are read from the
// system's files, or else from package time/tzdata.
func Zone(name string) (*time.Location, error) {
	if offset.MatchString(name) {
		t, err := time.Parse("-07:00", name)
		if err != nil {
			return nil, ErrZone
		}
		_, seconds := t.Zone()
		return time.FixedZone(name, seconds), nil
	}
	if len(name) > maxZone || name == "Local" {
		return nil, ErrZone
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, ErrZone
	}
	return zone, nil
}
