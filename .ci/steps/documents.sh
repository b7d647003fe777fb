# shellcheck shell=bash
# The documentation and the specification.

# The shell blocks of README, the first page and the guides, as a reader would type them.
check_documents() {
	python3 -m unittest discover -s docs/website -p '*_test.py'
	mkdir "$work/documents"
	python3 docs/website/blocks.py . "$work/documents"
}

# The documentation as a site without dead links and without resources from other hosts;
# in a browser, too. With --quiet, --strict would overlook warnings.
check_site() {
	NO_MKDOCS_2_WARNING=1 mkdocs build --strict --config-file docs/website/mkdocs.yml --site-dir "$work/pages"
	python3 docs/website/check.py "$work/pages"
	in_console docs/website/site.mjs "$work/pages" "$(command -v chromium)"
}

# The specification follows the rules, and another generator's output from it compiles.
check_openapi() {
	redocly lint --config server/rest/redocly.yaml server/rest/openapi.yaml
	quietly "$tools/python/bin/openapi-generator-cli" generate -g go -i server/rest/openapi.yaml -o "$work/generated" \
		--additional-properties=packageName=generated,withGoMod=true
	rm -rf "$work/generated/test"
	(cd "$work/generated" && quietly go mod tidy && go build ./...)
	echo "a client in Go by openapi-generator compiles"
}

# A minute of requests generated from the specification: the answers conform to it, also for
# HEAD. Refusals without a token and rates would hide other answers.
check_openapi_requests() {
	MNEME_RATE_REFUSALS=0 MNEME_RATE_REQUESTS=100000 serve requests
	cp server/rest/openapi.yaml server/rest/schemathesis.toml server/rest/schemathesis_hooks.py "$work"
	(cd "$work" && "$tools/python/bin/schemathesis" run openapi.yaml --url "$served" --header "Authorization: Bearer $(token_of requests requests)" \
		--checks all --phases examples,coverage,fuzzing --max-time 60 --seed 1 --continue-on-failure --no-color)
}
