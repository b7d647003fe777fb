package measure

// Bin holds the predictions within one range of a reliability diagram.
type Bin struct {
	Low       float64 `json:"low"`       // the range, in which the last bin includes its end
	High      float64 `json:"high"`      //
	Count     int     `json:"count"`     // number of predictions
	Predicted float64 `json:"predicted"` // their mean
	Observed  float64 `json:"observed"`  // share of them that came true
}

// Reliability compares predicted probabilities with outcomes.
type Reliability struct {
	Bins  []Bin `json:"bins"` // of equal width, from 0 to 1
	Count int   `json:"count"`
	// ECE is the expected calibration error: the mean over all predictions of the
	// distance between their bin's Predicted and Observed (Naeini, Cooper and
	// Hauskrecht, "Obtaining Well Calibrated Probabilities Using Bayesian Binning",
	// AAAI 2015).
	ECE float64 `json:"ece"`
	// Brier is the mean squared error of the predictions.
	Brier float64 `json:"brier"`
}

// Prediction is a predicted probability, from 0 to 1, and the outcome.
type Prediction struct {
	P    float64
	True bool
}

// NewReliability sorts predictions into bins.
func NewReliability(predictions []Prediction, bins int) Reliability {
	r := Reliability{Bins: make([]Bin, bins), Count: len(predictions)}
	for _, p := range predictions {
		outcome := 0.
		if p.True {
			outcome = 1
		}
		bin := &r.Bins[max(0, min(int(p.P*float64(bins)), bins-1))]
		bin.Count++
		bin.Predicted += p.P
		bin.Observed += outcome
		r.Brier += (p.P - outcome) * (p.P - outcome) / float64(len(predictions))
	}
	for i := range r.Bins {
		bin := &r.Bins[i]
		bin.Low, bin.High = float64(i)/float64(bins), float64(i+1)/float64(bins)
		if bin.Count == 0 {
			continue
		}
		n := float64(bin.Count)
		bin.Predicted /= n
		bin.Observed /= n
		r.ECE += max(bin.Predicted-bin.Observed, bin.Observed-bin.Predicted) * n / float64(len(predictions))
	}
	return r
}
