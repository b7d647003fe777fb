//go:build unix

package system

import "os"

// ShowStyles enables text styles of a terminal, and reports whether it supports them.
func ShowStyles(*os.File) bool { return true }
