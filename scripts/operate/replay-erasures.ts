import { replayErasures } from '#schema/contract/operations/account-deletion.ts'
import { parseOptions } from '../lib/command-options.ts'
import { exitOnError, findInstallation, installationHelp } from './lib/installation.ts'

const help = `Deletes users again whom a restored backup has brought back. A restored installation does so by itself.

  npm run operate -- replay-erasures

  --help  show this help

${installationHelp}

Reads the erasure ledger from the vault bucket, outside the database. Safe to run repeatedly: missing users are skipped,
and no mail is sent.
`

const { values } = parseOptions({ options: { help: { type: 'boolean', short: 'h' } } })
const installation = values.help ? null : findInstallation(process.env)
if (values.help) console.log(help)
if (installation)
	await exitOnError(async () => {
		let read = 0
		let erasing = 0
		for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
			const { data }: { data: { read: number; erasing: number; cursor: string | null } } =
				await installation.call(replayErasures, { body: { cursor } })
			read += data.read
			erasing += data.erasing
			cursor = data.cursor
		}
		console.log(`${read} entries read; ${erasing} users were restored and are being deleted again.`)
	})
