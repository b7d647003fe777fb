// Package wire is what the surfaces share: one reader of request bodies, one
// encoder of entries, and the defaults of what a request leaves out. A surface
// adds the names of its fields and how strict it is.
package wire
