// Package mneme is the root of the program's module. It has no code.
//
// Other modules may import, once the module has an address (CONTRIBUTING.md, "Releases"),
//
//   - clients/go, a client of the server's REST API, which is a module of its own,
//   - embed/e5, the text encoders that run in the process, with the types of package embed
//     that it uses.
//
// Both have runnable examples. All other packages are parts of the program: they can be
// imported, but promise nothing, and may change in any release.
package mneme
