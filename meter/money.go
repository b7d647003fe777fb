package meter

import "mneme/meter/price"

const (
	// MaxAmount is the highest amount of one price, charge, top-up or pay-out, in
	// micros: a million credits.
	MaxAmount = price.Max
	// MaxBalance is the highest balance of an account, in micros: the highest
	// integer that every JSON reader holds exactly.
	MaxBalance = 1<<53 - 1
	// MicrosPerCredit is the number of micros in a credit.
	MicrosPerCredit = 1_000_000
)
