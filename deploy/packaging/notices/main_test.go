package main

import (
	"slices"
	"testing"
)

func TestLicencesAreRecognizedByTheirTexts(t *testing.T) {
	const bsd = "Redistribution and use in source and binary forms, with or without\nmodification, are permitted provided"
	for text, want := range map[string][]string{
		"Apache License\n   Version 2.0, January 2004":                                              {"Apache-2.0"},
		"MIT License: permission is hereby granted, free of charge, to any person obtaining a copy": {"MIT"},
		"Mozilla Public License Version 2.0":                                                        {"MPL-2.0"},
		bsd:                                                                                         {"BSD-2-Clause"},
		bsd + " nor may be used to endorse or promote products":                                     {"BSD-3-Clause"},
		"All rights reserved. You may not copy this.":                                               nil,
		"GNU GENERAL PUBLIC LICENSE Version 3, 29 June 2007":                                        nil,
	} {
		if got := classify([]byte(text)); !slices.Equal(got, want) {
			t.Errorf("%q is %v, not %v", text, got, want)
		}
	}
}
