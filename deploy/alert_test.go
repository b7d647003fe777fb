package deploy_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// Alerts and the operator's guide may name existing metrics only, and the guide
// must explain every metric and every alert.
func TestAlertsAndTheGuideNameExistingMetrics(t *testing.T) {
	given := make(map[string]bool)
	for _, file := range []string{"../server/metrics.go", "../server/metrics_meter.go"} {
		for _, found := range regexp.MustCompile(`"(mneme_[a-z_]+)"`).FindAllSubmatch(read(t, file), -1) {
			given[string(found[1])] = true
		}
	}
	page := read(t, "../docs/operating.md")
	for file, text := range map[string][]byte{"alerts.yml": read(t, "alerts.yml"), "operating.md": page} {
		for _, found := range regexp.MustCompile(`mneme_[a-z_]+`).FindAllString(string(text), -1) {
			name := strings.TrimSuffix(strings.TrimSuffix(found, "_bucket"), "_count")
			if !given[name] && found != "mneme_mneme" { // a volume
				t.Errorf("%s names %s, which is not a metric", file, found)
			}
		}
	}
	for name := range given {
		if !bytes.Contains(page, []byte("`"+name)) {
			t.Errorf("operating.md does not explain %s", name)
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
			t.Errorf("operating.md does not say what to do at %s", rule.Alert)
		}
	}
}
