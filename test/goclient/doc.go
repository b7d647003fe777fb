// Package goclient tests the Go client against a server. The client is a module of its
// own, whose tests know no server.
package goclient
