// The built site in a browser: site.mjs FOLDER CHROMIUM [PICTURES]. Serves the folder, and
// checks that pages load nothing from elsewhere, fit their window, are accessible in both
// schemes, and that the search finds. With PICTURES, saves a picture of each page there.

import { createRequire } from 'node:module'
import { createServer } from 'node:http'
import { readFile } from 'node:fs/promises'
import { extname, join, normalize } from 'node:path'

const need = createRequire(join(process.cwd(), 'site.mjs'))
const { chromium } = need('playwright-core')
const axe = need.resolve('axe-core')

const [folder, program, pictures] = process.argv.slice(2)
const kinds = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript', '.json': 'application/json', '.svg': 'image/svg+xml', '.png': 'image/png' }

const server = createServer(async (request, response) => {
  const path = normalize(new URL(request.url, 'http://site').pathname)
  try {
    const body = await readFile(join(folder, path.endsWith('/') ? path + 'index.html' : path))
    response.writeHead(200, { 'content-type': kinds[extname(path)] ?? 'text/html' }).end(body)
  } catch {
    response.writeHead(404).end()
  }
})
await new Promise((done) => server.listen(0, '127.0.0.1', done))
const site = `http://127.0.0.1:${server.address().port}`

const patience = 180_000 // milliseconds, on a busy machine
const failures = []
const browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox'], timeout: patience })

async function open(context, path) {
  context.setDefaultTimeout(patience)
  const page = await context.newPage()
  page.on('request', (request) => {
    if (!request.url().startsWith(site) && !/^(data|blob):/.test(request.url())) failures.push(`${path}: requests ${request.url()}`)
  })
  page.on('pageerror', (error) => failures.push(`${path}: ${error.message}`))
  page.on('response', (response) => {
    if (response.status() >= 400) failures.push(`${path}: ${response.status()} for ${response.url()}`)
  })
  await page.goto(`${site}/${path}`, { waitUntil: 'load' })
  return page
}

const paths = ['index.html', 'guides/rest.html', 'search.html', 'measured.html', 'api/index.html', 'api/memories.html']
const violationsOf = (page) =>
  page.evaluate(async () => {
    // Material's own search, navigation and buttons are not checked. Browsers make
    // scrollable regions focusable themselves.
    const found = await window.axe.run('article', { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'], rules: { 'scrollable-region-focusable': { enabled: false } } })
    return found.violations.map((violation) => `${violation.id}: ${violation.nodes[0].html.slice(0, 160)}`)
  })

for (const [width, scheme] of [[400, 'light'], [1440, 'light'], [1440, 'dark']]) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme })
  for (const path of paths) {
    const page = await open(context, path)
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    if (wider > 0) failures.push(`${path}: ${wider} px wider than ${width}`)
    if (width > 400) {
      await page.addScriptTag({ path: axe })
      for (const violation of await violationsOf(page)) failures.push(`${path}, ${scheme}: ${violation}`)
    }
    if (pictures) await page.screenshot({ path: join(pictures, `${path.replace(/\W/g, '-')}-${width}-${scheme}.png`) })
    await page.close()
  }
  await context.close()
}

// The search works without a search server.
const page = await open(await browser.newContext(), 'index.html')
for (const [words, title] of [['atomic batch', 'Put, get and delete many entries'], ['row-level security', 'Row-level security']]) {
  // The worker misses words typed before it has the index, and each key starts a query:
  // type when it is ready, and all but the last key in one step.
  const input = page.locator('.md-search__input')
  const found = page.locator('.md-search-result__list')
  await input.fill('')
  await input.press('Backspace')
  await page.locator('.md-search-result__meta').getByText('Type to start searching').waitFor({ state: 'visible' })
  await input.fill(words.slice(0, -1))
  await input.press(words.at(-1))
  const seen = await found.getByText(title).first().waitFor({ state: 'visible' }).then(() => true, () => false)
  if (!seen) failures.push(`the search for ${words} does not find ${title}: ${(await found.innerText()).slice(0, 200)}`)
  if (pictures) await page.screenshot({ path: join(pictures, `search-${words.replace(/\W/g, '-')}.png`) })
}

await browser.close()
server.close()
console.log(`${paths.length} pages in three windows, ${failures.length} failures`)
for (const failure of new Set(failures)) console.log(failure)
process.exit(failures.length ? 1 : 0)
