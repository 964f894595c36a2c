import { existsSync } from 'node:fs'
import { link, open } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { DamagedBackupError } from '../../../edge/operations/backups/format/chunk.ts'
import { Variables } from '../../../edge/platform/env.ts'
import { deleteAtEnd, openTemporaryFolder } from '../../lib/clean-up.ts'
import { parseOptions } from '../../lib/command-options.ts'
import { loadSecrets } from '../../lib/installation/secrets.ts'
import { readSettings } from '../../lib/installation/settings.ts'
import { connect } from '../../migrate/main.ts'
import { restoreLocal } from './local.ts'
import { readBackupKeys } from './openers.ts'
import { restoreBackup } from './restore.ts'
import { dumpStatements } from './sql-file.ts'

const help = `Restores a downloaded backup into a new database, compares both, and applies newer migrations.

  npm run operate -- restore FILE.zip --into local
  npm run operate -- restore FILE.zip --into file:restored.db
  npm run operate -- restore FILE.zip --into libsql://…
  npm run operate -- restore FILE.zip --sql restored.sql
  npm run operate -- restore FILE.zip --into … --identity key.txt

  --into local     put it in place of the database of npm start, which must be stopped; the former one is kept
  --into URL       an empty libSQL database, or a file that does not exist yet
  --sql FILE       write SQL for D1 instead: npx wrangler d1 execute NAME --remote --file restored.sql
  --identity FILE  the identity of the recipient that the backup is encrypted to, as age-keygen writes it
  --any-origin     with --identity, if the AUTH_SECRET of that time is lost: restore although nothing shows that the backup
                   is of your installation
  --any-age        restore a backup that is older than ERASURE_LEDGER_DAYS: people who were deleted may be back
  --help           show this help

  AUTH_SECRET           the value under which the backup was made; with --any-origin it may be missing.
                        With --into local: that of DATA_DIR
  AUTH_SECRET_PREVIOUS  another value to try
  LIBSQL_AUTH_TOKEN     token of the libSQL database
  ERASURE_LEDGER_DAYS   as the installation has it (default 365)
  DATA_DIR              with --into local: folder of the installation (default .playhouse)

Nothing is changed but the new database. If it fails, delete that and run the command again.
`

const { values, positionals } = parseOptions({
	options: {
		into: { type: 'string' },
		sql: { type: 'string' },
		identity: { type: 'string' },
		'any-origin': { type: 'boolean', default: false },
		'any-age': { type: 'boolean', default: false },
		help: { type: 'boolean', short: 'h' },
	},
	allowPositionals: true,
})
const [path = '', ...more] = positionals
const print = (line: string) => console.log(line)
// A restored database holds everybody's data, so every file is for its owner alone.
process.umask(0o077)

if (values.help) console.log(help)
else if (!path || more.length > 0 || (values.into === undefined) === (values.sql === undefined))
	refuse('Give one file, and --into TARGET or --sql FILE; or see --help.')
else if (values['any-origin'] && values.identity === undefined)
	refuse('--any-origin needs --identity FILE; see --help.')
else if (values.into !== 'local' && !process.env.AUTH_SECRET && !values['any-origin'])
	refuse(
		'AUTH_SECRET is not set; set it to the value under which the backup was made. If it is lost, and the backup is encrypted to a recipient, give --identity FILE --any-origin.',
	)
else {
	try {
		if (values.into === 'local') await intoLocal()
		else if (values.into !== undefined) await fill(values.into, process.env)
		else await intoSql(values.sql ?? '')
	} catch (error) {
		console.error(`The restore failed: ${error instanceof Error ? error.message : error}`)
		if (error instanceof DamagedBackupError && values.identity !== undefined && !values['any-origin'])
			console.error('If the AUTH_SECRET of that time is lost, add --any-origin.')
		process.exitCode = 1
	}
}

async function intoLocal(): Promise<void> {
	const settings = await readSettings([], process.env)
	if (settings === 'help') return
	const { dataDir, variables } = settings
	if (variables.LIBSQL_URL)
		throw new Error('LIBSQL_URL is set, so npm start has no local database; pass --into URL')
	await restoreLocal({
		dataDir,
		now: new Date(),
		fill: async (url) => fill(url, { ...(await loadSecrets(dataDir)), ...variables }),
		print,
	})
}

async function intoSql(sqlPath: string): Promise<void> {
	if (existsSync(sqlPath)) throw new Error(`${sqlPath} exists; delete it, or name another file`)
	const draftPath = `${sqlPath}.partial`
	// Fails if the file exists: another user's file must not get everybody's data.
	await using file = await open(draftPath, 'wx')
	using _draft = deleteAtEnd(draftPath)
	using folder = await openTemporaryFolder('playhouse-restore-')
	const { href } = pathToFileURL(join(folder.path, 'restored.db'))
	await fill(href, process.env, (client) => file.writeFile(linesOf(client)))
	// Fails if the file appeared meanwhile.
	await link(draftPath, sqlPath)
	print(`${sqlPath} written`)
}

async function* linesOf(client: ReturnType<typeof connect>): AsyncGenerator<string> {
	for await (const statement of dumpStatements(client)) yield `${statement};\n`
}

/** Restores into an empty database and passes it to `use`. */
async function fill(
	url: string,
	env: NodeJS.ProcessEnv,
	use: (client: ReturnType<typeof connect>) => Promise<void> = async () => {},
): Promise<void> {
	const openers = await readBackupKeys(env, values.identity, values['any-origin'])
	const client = connect({ url, authToken: env.LIBSQL_AUTH_TOKEN })
	try {
		const ledgerDays = values['any-age']
			? undefined
			: Variables.shape.ERASURE_LEDGER_DAYS.parse(env.ERASURE_LEDGER_DAYS || undefined)
		await restoreBackup({ path, ...openers, into: client, ledgerDays, print })
		await use(client)
	} finally {
		client.close()
	}
}

function refuse(line: string): void {
	console.error(line)
	process.exitCode = 2
}
