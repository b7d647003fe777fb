//go:build !windows

package main

// runAsService reports that no service manager but that of Windows asks for anything.
func runAsService() (status int, ok bool) { return 0, false }
