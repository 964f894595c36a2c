import { readFile, writeFile } from 'node:fs/promises'
import { allOperations } from '#schema/contract/index.ts'
import { buildOpenApi } from '#schema/contract/kit/openapi.ts'
import { webhookBodies } from '#schema/contract/public-events.ts'
import { tagGroups } from '#schema/contract/tags.ts'
import { readFlags } from '../lib/command-options.ts'
import { printOpenapi } from './openapi-text.ts'

const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as {
	version: string
}
const file = new URL('../../schema/openapi.json', import.meta.url)
const text = printOpenapi(buildOpenApi(allOperations, webhookBodies, version, tagGroups))

const help = `Usage: npm run openapi [-- --check]

Writes schema/openapi.json from the contract. With --check it fails if the file differs.`

const { check } = readFlags(help, 'check')
if (!check) {
	await writeFile(file, text)
	console.log(`schema/openapi.json: ${allOperations.length} operations`)
} else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
	console.error('schema/openapi.json differs from the contract; run: npm run openapi')
	process.exitCode = 1
}
