package main

// priority orders the jobs that wait at a station.
type priority int

const (
	search priority = iota // first
	background
)

// station is a queue for servers of equal speed, such as the cores of a machine.
// Jobs of one priority are served in order of arrival, without preemption.
type station struct {
	sim     *simulator
	servers int

	busy    int
	waiting [background + 1][]job
	worked  float64 // seconds, summed over all servers
	longest int     // jobs that waited at once
}

// job is work for one server.
type job struct {
	seconds float64
	done    func()
}

// serve calls done when a server has worked on the job for the given seconds.
func (s *station) serve(p priority, seconds float64, done func()) {
	if s.busy == s.servers {
		s.waiting[p] = append(s.waiting[p], job{seconds, done})
		s.longest = max(s.longest, len(s.waiting[search])+len(s.waiting[background]))
		return
	}
	s.busy++
	s.begin(job{seconds, done})
}

func (s *station) begin(j job) {
	s.worked += j.seconds
	s.sim.after(j.seconds, func() {
		s.next()
		j.done()
	})
}

// next assigns the next job to the server that has become free.
func (s *station) next() {
	for p := range s.waiting {
		if queue := s.waiting[p]; len(queue) > 0 {
			s.waiting[p] = queue[1:]
			s.begin(queue[0])
			return
		}
	}
	s.busy--
}

// utilisation returns the busy fraction of the servers' time.
func (s *station) utilisation(seconds float64) float64 {
	return s.worked / (seconds * float64(s.servers))
}
