//go:build !windows

package main

// runAsService reports false: only Windows has a service manager that runs this program.
func runAsService() (status int, ok bool) { return 0, false }
