import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { allOperations } from '#schema/contract/index.ts'
import { nameOperations } from '#schema/contract/sdk/names.ts'
import { readFlags } from '../lib/command-options.ts'
import { root } from '../lib/root.ts'
import { printCliDocument } from '../lib/sdk/cli-document.ts'
import { printSdk } from '../lib/sdk/sources.ts'

const directory = 'sdk/src/generated'

const help = `Usage: npm run sdk [-- --check | --names]

Writes sdk/src/generated from the contract, and docs/cli.md from the commands of sdk/cli. With --check it fails if a file differs. With --names it prints the name and
the id of each operation in the SDK.`

const { check, names } = readFlags(help, 'check', 'names')
if (names)
	for (const { name, op } of nameOperations(allOperations).toSorted((a, b) => (a.name < b.name ? -1 : 1)))
		console.log(`${name.padEnd(48)}${op.id}`)
else {
	await mkdir(join(root, directory), { recursive: true })
	const files = [...printSdk(allOperations)].map(([name, text]) => [`${directory}/${name}`, text] as const)
	for (const [path, text] of [...files, ['docs/cli.md', printCliDocument()] as const]) {
		const file = join(root, path)
		if (!check) await writeFile(file, text)
		else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
			console.error(`${path} differs from its source; run: npm run sdk`)
			process.exitCode = 1
		}
	}
	if (!check) console.log(`sdk/src/generated: ${nameOperations(allOperations).length} operations`)
}
