package deploy_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// Alerts, the dashboard and the operator's guide may name only existing metrics, and the
// guide must explain every metric and every alert.
func TestAlertsDashboardAndTheGuideNameExistingMetrics(t *testing.T) {
	given := make(map[string]bool)
	for _, file := range []string{"../server/metrics.go", "../server/metrics_meter.go"} {
		for _, found := range regexp.MustCompile(`"(mneme_[a-z_]+)"`).FindAllSubmatch(read(t, file), -1) {
			given[string(found[1])] = true
		}
	}
	paths, err := filepath.Glob("../docs/operating/*.md")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d pages: %v", len(paths), err)
	}
	var page []byte
	for _, path := range paths {
		page = append(page, read(t, path)...)
	}
	for file, text := range map[string][]byte{
		"alerts.yml": read(t, "alerts.yml"), "dashboard.json": read(t, "dashboard.json"), "docs/operating": page,
	} {
		for _, found := range regexp.MustCompile(`mneme_[a-z_]+`).FindAllString(string(text), -1) {
			name := strings.TrimSuffix(strings.TrimSuffix(found, "_bucket"), "_count")
			if !given[name] && found != "mneme_mneme" { // a volume
				t.Errorf("%s names %s, which is not a metric", file, found)
			}
		}
	}
	for name := range given {
		if !bytes.Contains(page, []byte("`"+name)) {
			t.Errorf("docs/operating does not explain %s", name)
		}
	}
	var rules struct {
		Groups []struct {
			Rules []struct{ Alert, Expr string }
		}
	}
	if err := yaml.Unmarshal(read(t, "alerts.yml"), &rules); err != nil || len(rules.Groups) == 0 {
		t.Fatalf("alerts.yml: %v", err)
	}
	for _, rule := range rules.Groups[0].Rules {
		if rule.Expr == "" || !bytes.Contains(page, []byte("`"+rule.Alert+"`")) {
			t.Errorf("docs/operating does not say what to do at %s", rule.Alert)
		}
	}
}

// Grafana imports a dashboard with overlapping or empty panels without an error.
func TestDashboardPanelsHaveQueriesAndDoNotOverlap(t *testing.T) {
	type place struct{ X, Y, W, H int }
	var dashboard struct {
		Panels []struct {
			ID          int
			Type, Title string
			GridPos     place
			Targets     []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(read(t, "dashboard.json"), &dashboard); err != nil {
		t.Fatal(err)
	}
	named := make(map[int]string)
	taken := make(map[[2]int]string)
	for _, p := range dashboard.Panels {
		if named[p.ID] != "" {
			t.Errorf("%s and %s have the id %d", named[p.ID], p.Title, p.ID)
		}
		named[p.ID] = p.Title
		if p.GridPos.X+p.GridPos.W > 24 { // the columns of Grafana's grid
			t.Errorf("%s passes the right edge", p.Title)
		}
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if other := taken[[2]int{x, y}]; other != "" {
					t.Fatalf("%s lies on %s", p.Title, other)
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
		if p.Type == "row" {
			continue
		}
		if len(p.Targets) == 0 {
			t.Errorf("%s has no query", p.Title)
		}
		for _, target := range p.Targets {
			if !strings.Contains(target.Expr, "{") || strings.Count(target.Expr, "(") != strings.Count(target.Expr, ")") {
				t.Errorf("%s: %s", p.Title, target.Expr)
			}
		}
	}
}
