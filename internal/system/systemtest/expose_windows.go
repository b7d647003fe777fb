// Package systemtest creates the file faults that internal/system detects, for tests.
package systemtest

import (
	"testing"

	"golang.org/x/sys/windows"
)

// Expose gives all users access to a file or folder.
func Expose(t testing.TB, path string) {
	t.Helper()
	descriptor, err := windows.SecurityDescriptorFromString("D:P(A;;FA;;;OW)(A;;FA;;;WD)") // the owner, everyone
	if err != nil {
		t.Fatal(err)
	}
	list, _, err := descriptor.DACL()
	if err != nil {
		t.Fatal(err)
	}
	err = windows.SetNamedSecurityInfo(path, windows.SE_FILE_OBJECT,
		windows.DACL_SECURITY_INFORMATION|windows.PROTECTED_DACL_SECURITY_INFORMATION, nil, nil, list, nil)
	if err != nil {
		t.Fatal(err)
	}
}
