package console

import (
	"crypto/sha256"
	"encoding/base64"
	"html"
)

// rootStyle is the inline style of the root page, which needs no other file.
const rootStyle = `:root{color-scheme:light dark}body{max-width:40rem;margin:12vh auto;padding:0 1rem;font:16px/1.5 system-ui,sans-serif}` +
	`code{font-family:ui-monospace,monospace}li{margin:.5rem 0}`

// rootPolicy allows rootStyle and nothing else.
var rootPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; style-src 'sha256-" + digestOf(rootStyle) + "'"

func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// rootPage returns the root page. base is the path below which clients reach the service.
func rootPage(base string, hasConsole bool) string {
	base = html.EscapeString(base)
	link := ""
	if hasConsole {
		link = `<li><a href="` + base + `/console/">The console</a>: ask, and look at memories with a token of yours.</li>`
	}
	return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">` +
		`<title>mneme</title><style>` + rootStyle + `</style>` +
		`<h1>mneme</h1><p>This is a memory service for AI agents: they write what they learn, and recall it in natural language.</p><ul>` + link +
		`<li><a href="` + base + `/openapi.json">The REST API</a>, as an OpenAPI document.</li>` +
		`<li>MCP at <code>` + base + `/mcp</code>, for agents that speak it.</li>` +
		`<li><a href="` + base + `/readyz">Health</a> of the service.</li></ul>` +
		`<p>All but these needs a token: <code>mneme token --agent me</code> on the server's machine prints one.</p></html>`
}
