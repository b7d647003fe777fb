// Runs cases.json against the file system tool of Anthropic's TypeScript SDK and prints
// what each command answers: node sdk.mjs CASES FOLDER, in a folder with the SDK.
import { mkdtemp, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const { BetaLocalFilesystemMemoryTool } = createRequire(join(process.cwd(), 'x.js'))('@anthropic-ai/sdk/tools/memory/node')

const [cases, folder] = process.argv.slice(2)
const answers = []
for (const { commands } of JSON.parse(await readFile(cases, 'utf8'))) {
  const tool = await BetaLocalFilesystemMemoryTool.init(await mkdtemp(join(folder, 'case-')))
  const said = []
  for (const command of commands) {
    try {
      said.push({ content: await tool[command.command](command), is_error: false })
    } catch (e) {
      said.push({ content: e.code ? `(${e.code})` : e.message, is_error: true })
    }
  }
  answers.push(said)
}
console.log(JSON.stringify(answers))
