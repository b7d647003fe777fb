// Package meter sells look-ups: what a search-only grant costs, and how much it
// may show. It keeps offers, accounts, charges, the ledger and receipts.
//
// A Meter is the part of a search (it implements search.Meter): it decides in the
// search's own transactions which stores are searched and what is charged. A
// Market is everything around it: offers, accounts, refunds, paid searches with
// their claims and payments. Both keep their records in a Storage, which is the
// database of the entries, so that a charge commits together with the check of
// what it was for.
//
// Amounts are micros: millionths of a credit, as integers.
package meter
