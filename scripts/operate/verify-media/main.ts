import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { openTemporaryFolder } from '../../lib/clean-up.ts'
import { parseOptions } from '../../lib/command-options.ts'
import { openDataDirectory } from '../../lib/installation/data-directory.ts'
import { loadSecrets } from '../../lib/installation/secrets.ts'
import { readSettings } from '../../lib/installation/settings.ts'
import { connect } from '../../migrate/main.ts'
import { findDatabase } from '../restore/local.ts'
import { readBackupKeys } from '../restore/openers.ts'
import { restoreBackup } from '../restore/restore.ts'
import { listExpectedObjects } from './expected-objects.ts'
import { localStore, type Store, s3Store } from './stores.ts'
import { verifyMedia } from './verify.ts'

const help = `Checks that every file that a database expects is in the buckets, with its size where it is known.

  npm run operate -- verify-media --backup FILE.zip
  npm run operate -- verify-media --database libsql://…
  npm run operate -- verify-media --local

  --backup FILE    what a backup expects; it is restored into a temporary file
  --identity FILE  the identity of the recipient that the backup is encrypted to
  --database URL   what a libSQL database or a file expects
  --local          the buckets of npm start, which must be stopped; and its database, unless another is given
  --help           show this help

  S3_ENDPOINT, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY, S3_REGION, VAULT_BUCKET, MEDIA_BUCKET
                        where the buckets are, as for the Worker; not with --local
  AUTH_SECRET           the value under which the backup was made
  LIBSQL_AUTH_TOKEN     token of the libSQL database
  DATA_DIR              with --local: folder of the installation (default .playhouse)

Files of a video are found through its playlists. Writes a line for each problem to standard output, and progress to
standard error. Objects that nothing expects are not looked for.

Exit status: 0 if everything is there, 1 if something is missing or differs, 2 if it could not be checked.
`

const { values } = parseOptions({
	options: {
		backup: { type: 'string' },
		identity: { type: 'string' },
		database: { type: 'string' },
		local: { type: 'boolean' },
		help: { type: 'boolean', short: 'h' },
	},
})

const PROGRESS_EACH = 1_000

if (values.help) console.log(help)
else if (values.backup !== undefined && values.database !== undefined)
	fail('--backup and --database exclude each other; pass one of them.')
else if (values.backup === undefined && values.database === undefined && !values.local)
	fail('Give --backup FILE, --database URL or --local; or see --help.')
else {
	try {
		await main()
	} catch (error) {
		fail(`The files could not be checked: ${error instanceof Error ? error.message : error}`)
	}
}

async function main(): Promise<void> {
	const settings = await readSettings([], process.env)
	if (settings === 'help') return
	const { dataDir, env } = settings
	if (!values.local) return verifyIn(s3Of(env), env)
	const isGiven = values.backup !== undefined || values.database !== undefined
	if (!isGiven && settings.variables.LIBSQL_URL)
		throw new Error('LIBSQL_URL is set, so npm start has no local database; pass --database URL')
	const localUrl = isGiven ? undefined : pathToFileURL(await findDatabase(dataDir)).href
	using _lock = await openDataDirectory(dataDir)
	await using store = await localStore(join(dataDir, 'storage'))
	await verifyIn(store, { ...(await loadSecrets(dataDir)), ...env }, localUrl)
}

function s3Of(env: NodeJS.ProcessEnv): Store {
	const { S3_ENDPOINT: endpoint, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = env
	if (!endpoint || !accessKeyId || !secretAccessKey)
		throw new Error('set S3_ENDPOINT, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, or give --local')
	const bucketNames = {
		vault: env.VAULT_BUCKET || 'playhouse-vault',
		media: env.MEDIA_BUCKET || 'playhouse-media',
	}
	const region = env.S3_REGION || 'auto'
	return s3Store({ endpoint, accessKeyId, secretAccessKey, region, bucketNames, signingKeys: new Map() })
}

async function verifyIn(store: Store, env: NodeJS.ProcessEnv, localUrl = ''): Promise<void> {
	const { backup, database = localUrl } = values
	if (backup === undefined) return verify(store, connect({ url: database, authToken: env.LIBSQL_AUTH_TOKEN }))
	using folder = await openTemporaryFolder('playhouse-verify-')
	const client = connect({ url: pathToFileURL(join(folder.path, 'restored.db')).href })
	const openers = await readBackupKeys(env, values.identity)
	await restoreBackup({ path: backup, ...openers, into: client, print: (line) => console.error(line) })
	await verify(store, client)
}

async function verify(store: Store, client: ReturnType<typeof connect>): Promise<void> {
	try {
		const { checked, problems } = await verifyMedia(listExpectedObjects(client), store, {
			problem: ({ object: { kind, owner, bucket, key }, what }) =>
				console.log(`${kind} of ${owner} ${what}: ${bucket} ${key}`),
			progress: (count) => count % PROGRESS_EACH === 0 && console.error(`${count} files checked`),
		})
		console.log(
			problems === 0
				? `All ${checked} files are there.`
				: `${problems} of ${checked} files are missing or differ.`,
		)
		if (problems > 0) process.exitCode = 1
	} finally {
		client.close()
	}
}

function fail(line: string): void {
	console.error(line)
	process.exitCode = 2
}
