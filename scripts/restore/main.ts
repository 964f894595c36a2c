import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { pathToFileURL } from 'node:url'
import { deriveSecrets } from '../../edge/platform/tokens/secrets.ts'
import { parseOptions } from '../lib/command-options.ts'
import { connect } from '../migrate/main.ts'
import { readIdentities } from './identities.ts'
import { restore } from './restore.ts'
import { sqlStatements } from './sql-file.ts'

const help = `Restores a downloaded backup into a new database, compares both, and applies newer migrations.

  npm run restore -- FILE.zip --into file:restored.db
  npm run restore -- FILE.zip --into libsql://…
  npm run restore -- FILE.zip --sql restored.sql
  npm run restore -- FILE.zip --into … --identity key.txt

  --into URL   an empty libSQL database, or a file that does not exist yet
  --sql FILE   write SQL for D1 instead: npx wrangler d1 execute NAME --remote --file restored.sql
  --identity FILE  the identity of the recipient that the backup is encrypted to, as age-keygen writes it
  --help       show this help

  AUTH_SECRET           the value under which the backup was made; with --identity it may be missing, but then nothing
                        shows that the backup is of your installation
  AUTH_SECRET_PREVIOUS  another value to try
  LIBSQL_AUTH_TOKEN     token of the libSQL database

Nothing is changed but the new database. If it fails, delete that and run the command again.
`

async function main(): Promise<void> {
	const { values, positionals } = parseOptions({
		options: {
			into: { type: 'string' },
			sql: { type: 'string' },
			identity: { type: 'string' },
			help: { type: 'boolean', short: 'h' },
		},
		allowPositionals: true,
	})
	const [path, ...more] = positionals
	const { AUTH_SECRET, AUTH_SECRET_PREVIOUS, LIBSQL_AUTH_TOKEN: authToken } = process.env
	if (values.help) return console.log(help)
	if (!path || more.length > 0 || (values.into === undefined) === (values.sql === undefined))
		return refuse('Give one file, and --into URL or --sql FILE; or see --help.')
	if (!AUTH_SECRET && values.identity === undefined)
		return refuse(
			'AUTH_SECRET is not set; set it to the value under which the backup was made, or give --identity FILE.',
		)
	const secrets = AUTH_SECRET ? deriveSecrets(AUTH_SECRET, AUTH_SECRET_PREVIOUS || undefined) : null
	const restoreInto = async (url: string, use: (client: ReturnType<typeof connect>) => Promise<void>) => {
		const client = connect({ url, authToken })
		try {
			const identities = values.identity === undefined ? [] : await readIdentities(values.identity)
			await restore({ path, secrets, identities, into: client, print: (line) => console.log(line) })
			await use(client)
		} finally {
			client.close()
		}
	}
	try {
		if (values.into !== undefined) return await restoreInto(values.into, async () => {})
		const { sql: sqlPath = '' } = values
		const directory = await mkdtemp(join(tmpdir(), 'playhouse-restore-'))
		try {
			await restoreInto(pathToFileURL(join(directory, 'restored.db')).href, (client) =>
				writeSql(client, sqlPath),
			)
		} finally {
			await rm(directory, { recursive: true, force: true })
		}
	} catch (error) {
		console.error(`The restore failed: ${error instanceof Error ? error.message : error}`)
		process.exitCode = 1
	}
}

async function writeSql(client: ReturnType<typeof connect>, path: string): Promise<void> {
	async function* lines() {
		for await (const statement of sqlStatements(client)) yield `${statement};\n`
	}
	// A backup of everybody's data is for its owner alone.
	await pipeline(Readable.from(lines()), createWriteStream(path, { flags: 'wx', mode: 0o600 }))
	console.log(`${path} written`)
}

function refuse(line: string): void {
	console.error(line)
	process.exitCode = 2
}

await main()
