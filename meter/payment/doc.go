// Package payment speaks the wires of payments that come with a request: x402,
// versions 2 and 1, with the schemes exact and upto on EVM networks and
// robutler-credits, and MPP. Methods holds those that are configured. It reads
// payments from requests, writes what an unpaid answer asks for, and is the
// meter.Gateway that checks and settles payments.
//
// Chains are left to a facilitator, and credits to their platform: this package
// holds no keys to money.
package payment
