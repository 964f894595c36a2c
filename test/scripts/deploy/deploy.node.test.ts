import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createClient } from '@libsql/client'
import { execa } from 'execa'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readMigrations } from '../../../scripts/lib/migrations.ts'
import { startLibsqlServer } from '../../support/libsql/server.ts'
import { runEnvironment } from '../../support/node/run-environment.ts'
import { type Account, startFakeWrangler } from './fake-wrangler/fake-wrangler.ts'

let directory: string
let wrangler: Awaited<ReturnType<typeof startFakeWrangler>>
beforeEach(async () => {
	directory = await mkdtemp(join(tmpdir(), 'playhouse-deploy-'))
	wrangler = await startFakeWrangler()
})
afterEach(async () => {
	wrangler.close()
	await rm(directory, { recursive: true, force: true })
})

const deployFolder = () => join(directory, 'deployment')
/** Returns a copy of the account as it is now. */
const account = (): Account => structuredClone(wrangler.state.account)

function change(part: Partial<Account>): void {
	Object.assign(wrangler.state.account, part)
}

function deploy(env: Record<string, string> = {}, args: string[] = ['--into', deployFolder()]) {
	const fake = join(import.meta.dirname, 'fake-wrangler')
	const path = [fake, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter)
	const { NODE_COMPILE_CACHE = '' } = process.env
	return execa(process.execPath, ['scripts/deploy/main.ts', ...args], {
		env: {
			PATH: path,
			NODE_COMPILE_CACHE,
			...runEnvironment(),
			...wrangler.env,
			...env,
		},
		extendEnv: false,
		reject: false,
		all: true,
	})
}

const changesIn = (calls: string[][]) =>
	calls.map((call) => call.slice(0, 4).join(' ')).filter((call) => !/^whoami|list|queues info/.test(call))

test('a first deployment creates all resources, each before the steps that need it', async () => {
	const { exitCode, all } = await deploy()
	expect({ exitCode, all }).toEqual({
		exitCode: 0,
		all: expect.stringContaining('Playhouse is deployed: https://playhouse.ada.workers.dev'),
	})
	const after = account()
	expect(after).toMatchObject({
		databases: [{ name: 'playhouse' }],
		buckets: {
			'playhouse-vault': {
				rules: ['abandoned-uploads'],
				cors: { rules: [{ allowed: { methods: ['GET', 'HEAD', 'PUT'] } }] },
			},
			'playhouse-media': {
				rules: ['abandoned-uploads'],
				cors: { rules: [{ allowed: { methods: ['GET', 'HEAD'] } }] },
			},
		},
		queues: [
			...['playhouse-background', 'playhouse-bulk', 'playhouse-webhooks', 'playhouse-webhook-retries'],
			'playhouse-transcriptions',
			'playhouse-background-dead',
		],
		migrated: ['uuid-of-playhouse'],
	})
	expect(Object.keys(after.workers.playhouse ?? {})).toEqual(['AUTH_SECRET', 'FLEET_TOKEN'])
	expect(changesIn(after.calls).slice(-3)).toEqual([
		expect.stringMatching(/^d1 migrations apply/),
		expect.stringMatching(/^secret bulk/),
		expect.stringMatching(/^deploy --keep-vars/),
	])
})

test('a deployment uses the database id of the account, and leaves wrangler.toml unchanged', async () => {
	const before = await readFile('wrangler.toml', 'utf8')
	await deploy({ PUBLIC_URL: 'https://video.example.org', DEFAULT_TIER: '' })
	const [deployed] = account().deployed
	const [database] = deployed?.d1_databases ?? []
	const pathOf = (relative = '') => resolve(dirname(deployed?.file ?? ''), relative)
	expect(database).toMatchObject({ binding: 'DB', database_id: 'uuid-of-playhouse' })
	expect(pathOf(deployed?.main)).toBe(resolve('edge/worker.ts'))
	expect(pathOf(deployed?.assets.directory)).toBe(resolve('edge/web/public'))
	expect(pathOf(database?.migrations_dir)).toBe(resolve('schema/migrations'))
	expect(deployed?.vars).toMatchObject({ ENVIRONMENT: 'production', PUBLIC_URL: 'https://video.example.org' })
	expect(deployed?.vars).not.toHaveProperty('DEFAULT_TIER')
	expect(await readFile('wrangler.toml', 'utf8')).toBe(before)
})

test('a second deployment creates nothing and keeps the secrets', async () => {
	await deploy()
	const { workers } = account()
	change({ calls: [] })
	expect(await deploy()).toMatchObject({ exitCode: 0 })
	const after = account()
	expect(after.workers).toEqual(workers)
	expect(changesIn(after.calls)).toEqual([
		'r2 bucket cors set',
		'r2 bucket cors set',
		// Looks for migrations in an empty database.
		...['d1 execute DB --remote', 'd1 execute DB --remote'],
		expect.stringMatching(/^d1 migrations apply/),
		expect.stringMatching(/^deploy --keep-vars/),
	])
})

test('applies no migration if no backup can be made before it, unless an option says so', async () => {
	await deploy()
	const databaseFile = join(directory, 'database.sqlite')
	const database = new DatabaseSync(databaseFile)
	database.exec(
		'create table users (id); insert into users values (1); create table backups (id, state, reason, finished_at)',
	)
	database.close()
	change({ databaseFile, migrated: [] })
	expect(await deploy()).toMatchObject({ exitCode: 1, all: expect.stringContaining('--no-backup') })
	expect(account().migrated).toEqual([])
	const skipping = ['--into', deployFolder(), '--no-backup']
	expect(await deploy({}, skipping)).toMatchObject({ exitCode: 0 })
	expect(account().migrated).toEqual(['uuid-of-playhouse'])
})

test('a deployment reports a failed step with wrangler’s output, and completes in a second run', async () => {
	change({ failing: 'secret bulk' })
	const first = await deploy()
	expect(first.exitCode).toBe(1)
	expect(first.all).toMatch(
		/The deployment failed: wrangler secret bulk .* failed\n.*The service is not available/,
	)
	expect(first.all).toContain('run the command again')
	const saved = await readFile(join(deployFolder(), 'secrets.env'), 'utf8')

	expect(await deploy()).toMatchObject({ exitCode: 0 })
	const after = account()
	expect(after.databases).toHaveLength(1)
	// The first attempt may have been applied, so the second must send the same values.
	expect(
		Object.entries(after.workers.playhouse ?? {})
			.map(([name, value]) => `${name}=${value}\n`)
			.join(''),
	).toBe(saved)
})

test('a deployment passes secrets to wrangler on standard input only, never in commands or output', async () => {
	const variables = {
		AUTH_SECRET: 'given-root-secret-0123456789-0123456789',
		SMTP_URL: 'smtps://ada:mail-password@mail.example.org:465',
		S3_SECRET_ACCESS_KEY: 's3-secret-0123456789',
		MAIL_API_KEY: 'mail-key-0123456789',
	}
	change({ failing: 'secret bulk' })
	const outputs = [(await deploy(variables)).all, (await deploy(variables)).all]
	const { calls, workers } = account()
	expect(workers.playhouse).toMatchObject(variables)
	const values = Object.values(workers.playhouse ?? {})
	expect(values).toHaveLength(5)
	for (const value of values) {
		expect(outputs.join('\n')).not.toContain(value)
		expect(JSON.stringify(calls)).not.toContain(value)
	}
	expect((await stat(join(deployFolder(), 'secrets.env'))).mode & 0o777).toBe(0o600)
	expect(await readFile(join(deployFolder(), 'wrangler.json'), 'utf8')).not.toContain(variables.SMTP_URL)
})

test('a deployment migrates a libSQL database instead of D1 and requires its URL later', async () => {
	await using server = await startLibsqlServer({ authToken: 'sesame-sesame' })
	const variables = { LIBSQL_URL: server.url, LIBSQL_AUTH_TOKEN: 'sesame-sesame' }
	expect(await deploy(variables)).toMatchObject({ exitCode: 0 })
	const client = createClient({ url: server.url, authToken: 'sesame-sesame' })
	expect((await client.execute('SELECT name FROM d1_migrations')).rows).toHaveLength(
		(await readMigrations()).length,
	)
	expect(account().migrated).toEqual([])
	expect(await deploy()).toMatchObject({ exitCode: 1, all: expect.stringContaining('LIBSQL_URL') })
})

test('a deployment creates nothing without a login or before an account is chosen', async () => {
	change({ accounts: [] })
	expect(await deploy()).toMatchObject({ exitCode: 1, all: expect.stringContaining('wrangler login') })
	const accounts = [
		{ id: 'a1', name: 'Ada' },
		{ id: 'b2', name: 'Bo' },
	]
	change({ accounts })
	expect(await deploy()).toMatchObject({
		exitCode: 1,
		all: expect.stringMatching(/CLOUDFLARE_ACCOUNT_ID.*\n.*\n {2}b2 {2}Bo/),
	})
	expect(changesIn(account().calls)).toEqual([])
	expect(await deploy({ CLOUDFLARE_ACCOUNT_ID: 'b2' })).toMatchObject({ exitCode: 0 })
})

test('a preview is deployed beside an installation, and shares no variable with it', async () => {
	await deploy()
	const before = account()
	change({ deployed: [], calls: [] })
	const variables = { PUBLIC_URL: 'https://video.example.org', SMTP_URL: 'smtps://a:b@mail.example.org' }
	const preview = await deploy(variables, ['--preview', 'pr-7', '--into', join(directory, 'preview')])
	expect(preview).toMatchObject({ exitCode: 0 })
	expect(preview.all).toContain('npx wrangler d1 delete playhouse-pr-7')
	const { workers, databases, buckets, queues, migrated, deployed, calls } = account()
	expect(workers.playhouse).toEqual(before.workers.playhouse)
	expect(Object.keys(workers['playhouse-pr-7'] ?? {})).toEqual(['AUTH_SECRET', 'FLEET_TOKEN'])
	expect(databases.map(({ name }) => name)).toEqual(['playhouse', 'playhouse-pr-7'])
	expect(Object.keys(buckets).slice(2)).toEqual(['playhouse-vault-pr-7', 'playhouse-media-pr-7'])
	expect(queues).toHaveLength(2 * before.queues.length)
	expect(migrated.slice(1)).toEqual(['uuid-of-playhouse-pr-7'])
	expect(deployed[0]?.vars).toMatchObject({ VAULT_BUCKET: 'playhouse-vault-pr-7' })
	expect(deployed[0]?.vars).not.toHaveProperty('PUBLIC_URL')
	const changes = calls.filter(
		([first, second, third]) => /create|set|add|bulk/.test(`${second} ${third}`) && first !== 'd1',
	)
	for (const call of changes) expect(call.join(' ')).toMatch(/pr-7|--config/)
})

test('a deployment rejects a short secret before creating anything', async () => {
	expect(await deploy({ FLEET_TOKEN: 'short' })).toMatchObject({
		exitCode: 1,
		all: expect.stringContaining('at least 24 characters'),
	})
	expect(changesIn(account().calls)).toEqual([])
})

test('a dry run of the deployment prints every step and builds the Worker, without an account', async () => {
	const path = [resolve('node_modules/.bin'), process.env.PATH].join(delimiter)
	const { exitCode, all } = await deploy({ PATH: path, HOME: directory, WRANGLER_LOG_PATH: directory }, [
		'--dry-run',
	])
	expect({ exitCode, all }).toEqual({ exitCode: 0, all: expect.stringContaining('The build succeeded.') })
	for (const step of [
		'D1 database playhouse',
		'R2 bucket playhouse-media',
		'queue playhouse-background-dead',
		'AUTH_SECRET, FLEET_TOKEN',
		'$5.00 together',
	])
		expect(all).toContain(step)
	expect(await deploy({}, ['--help'])).toMatchObject({
		exitCode: 0,
		stdout: expect.stringContaining('npm run deploy'),
	})
	for (const args of [['--nope'], ['--preview', '-x']])
		expect(await deploy({}, args)).toMatchObject({
			exitCode: 64,
			stderr: expect.stringMatching(new RegExp(`^.*${args[0]}.*\\. See --help\\.$`)),
		})
	expect(account().calls).toEqual([])
})
