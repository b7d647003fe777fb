package main

import (
	"fmt"
	"slices"
)

// A step is one check, or a prerequisite of checks.
type step struct {
	// name identifies the step for .ci/run.
	name string
	// run is the step's function in .ci/steps/*.sh, and for a service the
	// program that serves until it is interrupted.
	run string
	// ready is the function that succeeds when a service answers.
	ready string

	// inputs are the files that the outcome depends on: pathspecs of git, or "go:"
	// with a package pattern for the files from which the packages are built, or
	// "test:" with one for the files from which their tests are built.
	inputs []string
	// tools are commands that print the versions of the tools that run the step.
	tools []string
	// needs are the set-ups and services that the step requires. They are inputs too.
	needs []string

	// made is the output of a set-up, below the tools folder. A step with it runs
	// only if others need it. "-" means no output there; such a step is checked in
	// each run.
	made string
	// long steps run only in a long run.
	long bool
	// last steps run after all others, one at a time, and in each run.
	last bool
}

func (s *step) isService() bool { return s.ready != "" }
func (s *step) isSetUp() bool   { return s.made != "" }
func (s *step) isCheck() bool   { return !s.isService() && !s.isSetUp() }

// A plan is a list of steps. Steps follow the steps that they need.
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
				return fmt.Errorf("step %q needs %q, which is not an earlier set-up or service", s.name, need)
			}
		}
		if len(s.inputs) == 0 && s.isCheck() && !s.last {
			return fmt.Errorf("step %q: without inputs it would never run again", s.name)
		}
		known[s.name] = true
	}
	return nil
}

// choose returns the checks to run: the named ones, or without names all, with the
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

// withNeeds returns the steps with all their needs, in the plan's order.
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
