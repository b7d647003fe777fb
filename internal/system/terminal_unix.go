//go:build unix

package system

import "os"

// ShowStyles makes a terminal show text styles, and reports whether it does.
func ShowStyles(*os.File) bool { return true }
