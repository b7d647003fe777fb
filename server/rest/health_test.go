package rest_test

import (
	"strings"
	"testing"
)

func TestHealthNamesNoStoreAgentKeyOrLabel(t *testing.T) {
	h := open(t)
	h.want(201, alice, "PUT", "/v1/stores/self/memories/secret-key?namespace=secret-ns", `{"value":"a hidden word","tags":["secret-tag"]}`)
	h.want(200, alice, "POST", "/v1/search", `{"query":"hidden word","stores":["alice"],"tags":["secret-tag"]}`)
	for _, a := range []answer{h.want(200, bob, "GET", "/v1/health", ""), h.want(200, platform, "GET", "/v1/health", "")} {
		for _, name := range []string{"alice", "bob", "secret", "hidden", "PUBLIC"} {
			if strings.Contains(a.body, name) {
				t.Errorf("the answer holds %s: %s", name, a.body)
			}
		}
	}
}

func TestHealthCountsSearchesAndWrites(t *testing.T) {
	h := open(t)
	h.want(201, alice, "PUT", seat, `{"value":"by the window"}`)
	h.want(200, alice, "POST", "/v1/search", `{"query":"window"}`)
	h.want(200, alice, "POST", "/v1/search", `{"query":"window"}`)
	body := h.want(200, platform, "GET", "/v1/health", "").json(t)
	sums := map[string]float64{}
	for _, minute := range body["minutes"].([]any) {
		for name, n := range minute.(map[string]any) {
			if n, ok := n.(float64); ok {
				sums[name] += n
			}
		}
	}
	if sums["searches"] != 2 || sums["written"] != 1 || sums["requests"] != 3 {
		t.Errorf("%v", sums)
	}
	steps := map[string]float64{}
	for _, one := range body["steps"].([]any) {
		one := one.(map[string]any)
		steps[one["step"].(string)] = one["count"].(float64)
	}
	if steps["search"] != 2 || steps["lexical"] != 2 || steps["fetch"] != 2 {
		t.Errorf("%v", steps)
	}
}

func TestCountsOverAllAgentsAreForThePlatform(t *testing.T) {
	h := open(t)
	mine, whole := h.want(200, alice, "GET", "/v1/health", "").json(t), h.want(200, platform, "GET", "/v1/health", "").json(t)
	for _, member := range []string{"queue", "searches", "minutes", "steps", "slow", "slow_from_ms"} {
		if mine[member] != nil || whole[member] == nil {
			t.Errorf("%s: %v to an agent, %v to the platform", member, mine[member], whole[member])
		}
	}
}
