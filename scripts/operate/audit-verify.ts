import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { parseOptions } from '../lib/command-options.ts'
import { ChainFileError, readChain, readChainFile } from './audit/chain-items.ts'
import { type ChainItem, type Verdict, verifyChain } from './audit/verify-chain.ts'
import { exitOnError, findInstallation, installationHelp } from './lib/installation.ts'

const help = `Verifies that no row of the audit log was changed, inserted or deleted.

  npm run operate -- audit-verify
  npm run operate -- audit-verify --save chain.ndjson
  npm run operate -- audit-verify --file chain.ndjson

  --save FILE      also write what was read to FILE, to verify it again later or elsewhere
  --file FILE      verify such a file instead of an installation
  --restored TIME  a backup was restored then (ISO 8601): skip older hashes in the vault, of rows that it lacks.
                   May be repeated
  --help           show this help

${installationHelp}

Recomputes the hash chain and compares it with the hashes in the vault. Names the first row with a problem. The hash
covers people only by a salted digest, so a deleted account does not break the chain. A person who is missing in a row
although no account was deleted since is a problem. Only the installation knows this, from its vault, not a file.

Exit status: 0 if everything matches, 1 if there is a problem, 2 if the log could not be read.
`

const { values } = parseOptions({
	options: {
		help: { type: 'boolean', short: 'h' },
		save: { type: 'string' },
		file: { type: 'string' },
		restored: { type: 'string', multiple: true },
	},
})

const restoredAt = (values.restored ?? []).map((time) => Date.parse(time))

if (values.help) console.log(help)
else if (restoredAt.some(Number.isNaN)) {
	console.error('--restored needs a time such as 2026-11-25T12:00:00Z. See --help.')
	process.exitCode = 2
} else if (values.save !== undefined && values.file !== undefined) {
	console.error('--save and --file exclude each other. See --help.')
	process.exitCode = 2
} else await verify()

async function verify(): Promise<void> {
	const { file, save } = values
	const installation = file === undefined ? findInstallation(process.env) : null
	if (file === undefined && !installation) return
	let verdict: Verdict | undefined
	const read = async () => {
		const items = installation ? readChain(installation) : readChainFile(file ?? '')
		verdict = await verifyChain(save === undefined ? items : saved(items, save), restoredAt)
	}
	await (installation ? exitOnError(read) : readFile(read))
	if (verdict) report(verdict, installation !== null)
	else process.exitCode = 2
}

async function readFile(read: () => Promise<void>): Promise<void> {
	try {
		await read()
	} catch (error) {
		console.error(error instanceof ChainFileError ? error.message : `The file can't be read: ${error}`)
	}
}

/** Yields the items and writes each to a file as a line. */
async function* saved(items: AsyncIterable<ChainItem>, path: string): AsyncGenerator<ChainItem> {
	const file = createWriteStream(path, { mode: 0o600 })
	for await (const item of items) {
		// Not saved: a file can't prove which deletions its installation knew.
		if ('erasures' in item) {
			yield item
			continue
		}
		if (!file.write(`${JSON.stringify(item)}\n`)) await once(file, 'drain')
		yield item
	}
	file.end()
	await once(file, 'finish')
}

function report(
	{ problem, rows, unsealed, erased, hasComparedErasures, heads, superseded }: Verdict,
	isInstallation: boolean,
): void {
	if (problem) {
		const { position, id, at, what } = problem
		const unchanged = Math.max(0, Math.min(rows - unsealed, position - 1))
		console.error(`Problem at row ${position}${id ? ` (${id}, ${at})` : ''}: ${what}.`)
		console.error(`Rows before it that are unchanged: ${unchanged}.`)
		process.exitCode = 1
		return
	}
	console.log(
		`${rows - unsealed} rows are unchanged. ${heads} hashes in the vault match${superseded > 0 ? `, ${superseded} are of rows that a restored backup lacks` : ''}; ${unsealed} rows are not sealed yet; ${erased} rows name an erased person.`,
	)
	if (erased > 0 && !hasComparedErasures)
		console.log(
			isInstallation
				? 'This installation is too old to show whether these people were erased with their accounts; upgrade it to find out.'
				: 'A file does not show whether these people were erased with their accounts; verify the installation to find out.',
		)
}
