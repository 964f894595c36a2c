import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pages } from '../lib/assets.ts'
import { parseOptions } from '../lib/command-options.ts'
import type { OpenApi } from '../lib/reference/openapi.ts'
import { printReference } from '../lib/reference/pages.ts'
import { root } from '../lib/root.ts'

const help = `Usage: npm run reference -- --out DIRECTORY

Writes the API reference as static files, which any web server or static host can serve. Installations in production
have no /reference.`

const { values } = parseOptions({
	options: { out: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
})
if (values.help) console.log(help)
else if (!values.out) {
	console.error('no directory given; add --out DIRECTORY')
	process.exitCode = 64
} else await writeStaticReference(values.out)

/** Its links work at any address, and the pages call nothing. */
async function writeStaticReference(out: string): Promise<void> {
	const document = JSON.parse(await readFile(join(root, 'schema/openapi.json'), 'utf8')) as OpenApi
	const files = printReference(document, { base: '', suffix: '.html', canTry: false })
	await mkdir(out, { recursive: true })
	for (const [name, text] of files) await writeFile(join(out, name), text)
	for (const name of ['reference.css', 'search.js']) await cp(join(pages, 'reference', name), join(out, name))
	console.log(`${out}: ${files.size + 2} files; open ${join(out, 'index.html')}`)
}
