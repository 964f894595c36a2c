import { parseArgs } from 'node:util'
import { replayErasures } from '#schema/contract/account-deletion.ts'
import { attempt, findInstallation, installationHelp } from './operator/installation.ts'

const help = `Run this after every restore of a backup: deletes again whom the backup brought back.

  node scripts/replay-erasures.ts

  --help  this text

${installationHelp}

Reads the erasure ledger that is kept in the vault bucket, outside the database. Run it as often as you like: who is not
there is not deleted, and nobody is mailed.
`

const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } })
const installation = values.help ? null : findInstallation(process.env)
if (values.help) console.log(help)
if (installation)
	await attempt(async () => {
		let read = 0
		let erasing = 0
		for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
			const { data }: { data: { read: number; erasing: number; cursor: string | null } } =
				await installation.call(replayErasures, { body: { cursor } })
			read += data.read
			erasing += data.erasing
			cursor = data.cursor
		}
		console.log(`${read} entries read; ${erasing} people were back and are being deleted again.`)
	})
