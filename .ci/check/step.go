package main

import (
	"fmt"
	"slices"
)

// A step is one check, or something that checks need.
type step struct {
	// name is what .ci/run takes and prints.
	name string
	// run is the function of .ci/steps/*.sh that does it, and for a service the
	// program that serves until it is interrupted.
	run string
	// ready is the function that succeeds once a service answers.
	ready string

	// inputs is what the outcome depends on in the repository: pathspecs of git, or
	// "go:" with a pattern of packages for the files that these are built from, or
	// "test:" with one for those that their tests are built from.
	inputs []string
	// tools are commands that print the versions of what runs it.
	tools []string
	// needs are the set-ups and services without which it cannot run. They are inputs
	// too.
	needs []string

	// made is what a set-up makes, below the tools folder. A step with it is run only
	// for others that need it. "-" makes nothing there, and is checked in each run.
	made string
	// long steps are part of a long run alone.
	long bool
	// last steps run after all others, by themselves, and in each run.
	last bool
}

func (s *step) isService() bool { return s.ready != "" }
func (s *step) isSetUp() bool   { return s.made != "" }
func (s *step) isCheck() bool   { return !s.isService() && !s.isSetUp() }

// A plan is a list of steps. Steps that need others come after them.
type plan []*step

func (p plan) find(name string) *step {
	for _, s := range p {
		if s.name == name {
			return s
		}
	}
	return nil
}

// verify reports the first step that is declared wrongly.
func (p plan) verify() error {
	known := make(map[string]bool)
	for _, s := range p {
		if known[s.name] || s.run == "" {
			return fmt.Errorf("step %q: declared twice, or without a function", s.name)
		}
		for _, need := range s.needs {
			if !known[need] || p.find(need).isCheck() {
				return fmt.Errorf("step %q needs %q, which is no set-up or service before it", s.name, need)
			}
		}
		if len(s.inputs) == 0 && s.isCheck() && !s.last {
			return fmt.Errorf("step %q: without inputs it would never run again", s.name)
		}
		known[s.name] = true
	}
	return nil
}

// choose returns the checks to run: those with the names, or without names all, the
// long ones only in a long run.
func (p plan) choose(names []string, long bool) (plan, error) {
	var chosen plan
	for _, s := range p {
		if s.isCheck() && (len(names) == 0 && (long || !s.long) || slices.Contains(names, s.name)) {
			chosen = append(chosen, s)
		}
	}
	for _, name := range names {
		if chosen.find(name) == nil {
			return nil, fmt.Errorf("there is no step %q; --list names them", name)
		}
	}
	return chosen, nil
}

// withNeeds returns the steps with all that they need, in the plan's order.
func (p plan) withNeeds(steps plan) plan {
	wanted := make(map[string]bool)
	var want func(s *step)
	want = func(s *step) {
		wanted[s.name] = true
		for _, need := range s.needs {
			want(p.find(need))
		}
	}
	for _, s := range steps {
		want(s)
	}
	return slices.DeleteFunc(slices.Clone(p), func(s *step) bool { return !wanted[s.name] })
}
