package sqlcommon_test

import (
	"strings"
	"testing"

	"mneme/storage/sqlcommon"
)

func TestTheCommonestStatesSayWhatToDo(t *testing.T) {
	for _, code := range []string{
		"25006", "28000", "28P01", "3D000", "3F000", "42501", "53100", "53200", "53300", "55P03", "57014", "57P01", "57P03", "58030", "58P01", "0A000", "XX001", "XX002",
	} {
		reason := sqlcommon.StateReason(code)
		if what, do, ok := strings.Cut(reason, ": "); !ok || what == "" || !strings.HasSuffix(do, " (SQLSTATE "+code+")") {
			t.Errorf("%s: %s", code, reason)
		}
	}
	if got := sqlcommon.StateReason("99999"); got != "SQLSTATE 99999" {
		t.Errorf("an unknown one: %s", got)
	}
}
