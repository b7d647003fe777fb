package main

import "testing"

func TestScenariosAreLeftOutByNameOrPrefixOnly(t *testing.T) {
	for scenario, want := range map[string]string{
		"completion-complete": undeclared,
		"prompts-list":        undeclared,
		"tools-call-image":    ownServer,
		"tools-list":          "",
		"completion-complet":  "",
		"prompts":             "",
		"something-new":       "",
	} {
		if got := reason(scenario); got != want {
			t.Errorf("%s: %q, not %q", scenario, got, want)
		}
	}
	for _, scenario := range applicable {
		if why := reason(scenario); why != "" {
			t.Errorf("%s is applicable, and is not: %s", scenario, why)
		}
	}
}
