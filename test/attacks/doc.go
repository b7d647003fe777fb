// Package attacks contains only tests. Each test attacks a real `mneme serve` process
// like a careless or hostile caller, and checks the promises of docs/security.md. Each
// file is one kind of attack.
//
// A test starts a server with a data folder of its own (start) and calls it as some
// agents (as), over raw connections where an HTTP client would be too polite (dial). It
// measures the memory and processor time of the process (memory, cpuTime). When a test
// ends, the log of its server must not contain any token, memory text or query of the
// test.
//
// MNEME_ATTACK_BINARY attacks another binary, such as an earlier version:
//
//	MNEME_ATTACK_BINARY=/path/to/mneme go test ./test/attacks -run TestX
//
// -short skips the attacks. Only a full run (package size) runs attacks at their maximum
// size, where a smaller attack tests the same rule.
package attacks
