package attacks

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// memory returns the current and the peak resident memory of the process, in bytes.
// It skips the test if there is no /proc.
func (s *server) memory() (resident, peak int64) {
	s.t.Helper()
	for line := range strings.Lines(s.proc("status")) {
		name, value, _ := strings.Cut(line, ":")
		kB, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		switch {
		case name == "VmRSS" && err == nil:
			resident = kB << 10
		case name == "VmHWM" && err == nil:
			peak = kB << 10
		}
	}
	if resident == 0 || peak == 0 {
		s.t.Fatal("no VmRSS and VmHWM in the status of the process")
	}
	return resident, peak
}

// cpuTime returns the user and system time that the process has used.
func (s *server) cpuTime() time.Duration {
	s.t.Helper()
	stat := s.proc("stat")
	fields := strings.Fields(stat[strings.LastIndex(stat, ")")+1:]) // from the third field on, see proc(5)
	var ticks int64
	for _, field := range fields[11:13] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			s.t.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * (time.Second / 100) // USER_HZ is 100 on every Linux
}

func (s *server) proc(file string) string {
	s.t.Helper()
	if _, err := os.Stat("/proc/self"); err != nil {
		s.t.Skip("no /proc")
	}
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(s.PID()), file))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

// metric returns the value of a metric. name includes its labels, as in /metrics.
func (s *server) metric(name string) (float64, error) {
	r := s.bearing("").call(http.MethodGet, "/metrics", nil)
	if r.err != nil {
		return 0, r.err
	}
	for line := range strings.Lines(string(r.body)) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			return strconv.ParseFloat(strings.TrimSpace(value), 64)
		}
	}
	return 0, fmt.Errorf("no metric %s", name)
}
