import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { allOperations } from '#schema/contract/index.ts'
import { nameOperations } from '#schema/contract/sdk/names.ts'
import { readFlags } from '../lib/command-options.ts'
import { root } from '../lib/root.ts'
import { printSdk } from '../lib/sdk/sources.ts'

const directory = join(root, 'sdk', 'src', 'generated')

const help = `Usage: npm run sdk [-- --check | --names]

Writes sdk/src/generated from the contract. With --check it fails if a file differs. With --names it prints the name and
the id of each operation in the SDK.`

const { check, names } = readFlags(help, 'check', 'names')
if (names)
	for (const { name, op } of nameOperations(allOperations).toSorted((a, b) => (a.name < b.name ? -1 : 1)))
		console.log(`${name.padEnd(48)}${op.id}`)
else {
	await mkdir(directory, { recursive: true })
	for (const [name, text] of printSdk(allOperations)) {
		const file = join(directory, name)
		if (!check) await writeFile(file, text)
		else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
			console.error(`sdk/src/generated/${name} differs from the contract; run: npm run sdk`)
			process.exitCode = 1
		}
	}
	if (!check) console.log(`sdk/src/generated: ${nameOperations(allOperations).length} operations`)
}
