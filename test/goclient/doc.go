// Package goclient tests the Go client against a server. The client is a separate
// module, whose own tests have no server.
package goclient
