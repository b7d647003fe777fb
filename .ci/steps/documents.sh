# shellcheck shell=bash
# The documentation and the specification.

# The shell blocks of README, the first page and the guides, as a reader would type them.
check_documents() {
	python3 -m unittest discover -s docs/website -p '*_test.py'
	mkdir "$work/documents"
	python3 docs/website/blocks.py . "$work/documents"
}

# The documentation as a site, in whose pages no link is dead and nothing comes from
# another host; in a browser, too. With --quiet, --strict would overlook warnings.
check_site() {
	NO_MKDOCS_2_WARNING=1 mkdocs build --strict --config-file docs/website/mkdocs.yml --site-dir "$work/pages"
	python3 docs/website/check.py "$work/pages"
	in_console docs/website/site.mjs "$work/pages" "$(command -v chromium)"
}

check_openapi() { redocly lint --config server/rest/redocly.yaml server/rest/openapi.yaml; }
