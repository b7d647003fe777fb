package main

import (
	"strings"
	"testing"
)

func TestTheSummaryCountsAndFailsWithTheTests(t *testing.T) {
	const (
		passed  = `{"Action":"pass","Package":"p","Test":"A"}`
		skipped = `{"Action":"output","Package":"p","Test":"B","Output":"why\n"}` + "\n" + `{"Action":"skip","Package":"p","Test":"B"}`
		failed  = `{"Action":"output","Package":"p","Test":"C","Output":"reason\n"}` + "\n" + `{"Action":"fail","Package":"p","Test":"C"}`
		begun   = `{"Action":"output","Package":"p","Test":"D","Output":"panic\n"}`
		ended   = `{"Action":"pass","Package":"p","Elapsed":1}`
		broke   = `{"Action":"fail","Package":"p","Elapsed":1}`
		built   = `{"Action":"build-output","ImportPath":"p","Output":"undefined: x\n"}` + "\n" + `{"Action":"fail","Package":"p","FailedBuild":"p"}`
	)
	for name, c := range map[string]struct {
		lines []string
		well  bool
		want  []string
	}{
		"all pass":                     {[]string{passed, passed, skipped, ended}, true, []string{"skip p B\nwhy\n", "2 passed, 0 failed, 1 skipped\n"}},
		"one fails":                    {[]string{passed, failed, broke}, false, []string{"reason\n", "1 passed, 1 failed, 0 skipped\n"}},
		"a package fails without test": {[]string{passed, begun, broke}, false, []string{"did not end: p D\npanic\n", "1 passed, 1 failed, 0 skipped\n"}},
		"a package does not build":     {[]string{passed, built}, false, []string{"undefined: x\n", "1 passed, 1 failed, 0 skipped\n"}},
		"no test ran":                  {[]string{ended}, false, []string{"0 passed, 0 failed, 0 skipped\n"}},
		"another message":              {[]string{"go: no such tool", passed}, true, []string{"go: no such tool\n"}},
	} {
		var out strings.Builder
		if well := summarize(strings.NewReader(strings.Join(c.lines, "\n")), &out); well != c.well {
			t.Errorf("%s: well is %v", name, well)
		}
		for _, want := range c.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: %q is not in\n%s", name, want, out.String())
			}
		}
	}
}
