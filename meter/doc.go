// Package meter sells searches: it decides what a search under a search-only grant
// costs, and how much it may show. It manages offers, accounts, charges, the ledger
// and receipts.
//
// A Meter takes part in a search (it implements search.Meter): in the search's own
// transactions it decides which stores are searched and what is charged. A Market
// does the rest: offers, accounts, refunds, paid searches with their claims and
// payments. Both store their records in a Storage, which is the database of the
// entries, so that a charge and the check of access commit in one transaction.
//
// Amounts are micros: millionths of a credit, as integers.
package meter
