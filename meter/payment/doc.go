// Package payment implements the payment protocols by which a request can pay for itself: x402,
// versions 1 and 2, with the schemes exact and upto on EVM networks and robutler-credits; and
// MPP, the Machine Payments Protocol. Methods are the configured ones. It reads payments from
// requests, writes what an unpaid request must pay into the answer, and is the meter.Gateway
// that checks and settles payments.
//
// A facilitator carries out transactions on blockchains, and Robutler's platform those in
// credits: this package has no key that could move money.
package payment
