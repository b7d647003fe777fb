// Package wire is what the surfaces share: the decoder of request bodies, the
// encoder of entries, and the defaults of optional fields. A surface adds its
// field names and how strict it is.
package wire
