// Package attacks contains only tests: each attacks a real `mneme serve` process
// as a careless or hostile caller would, and checks what the process promises in
// docs/security.md. Each file is one kind of attack.
//
// A test starts a server with a data folder of its own (start), calls it as some
// agents (as), over raw connections where a client of net/http is too polite
// (dial), and reads what the process used (memory, cpuTime). When a test ends,
// the log of its server must not contain any token, memory text or query of the
// test.
//
// MNEME_ATTACK_BINARY attacks another binary, such as an earlier version:
//
//	MNEME_ATTACK_BINARY=/path/to/mneme go test ./test/attacks -run TestX
//
// -short skips the attacks. In a full run (package size), attacks that a smaller one could
// replace have their maximum size.
package attacks
