package compose

import (
	"os"

	"mneme/embed/e5"
)

func openMultilingual() (*e5.Encoder, error) {
	w, err := os.ReadFile(os.Getenv("MNEME_TMP_ML"))
	if err != nil {
		return nil, err
	}
	return e5.New(e5.Options{Weights: w})
}
