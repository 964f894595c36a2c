import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { sign } from 'hono/jwt'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'
import { unstable_getMiniflareWorkerOptions } from 'wrangler'
import { createClient } from '../../schema/contract/client.ts'
import { signup } from '../../schema/contract/identity.ts'
import { readMigrations } from '../migrations.ts'
import { bundleWorker } from '../start/bundle.ts'
import { root } from '../start/settings.ts'

const OURS = 'ours'
const BARE = 'bare'
const SECRET = 'a-secret-that-is-only-good-for-this-benchmark'

export type Side = { url: string; token: string }
/** What is read of wrangler.toml here; the rest is handed on to Miniflare as it is. */
type Configured = {
	compatibilityDate: string
	bindings: Record<string, string>
	d1Databases: Record<string, string>
	assets?: unknown
}
type Database = Awaited<ReturnType<Miniflare['getD1Database']>>

/** Ours as it is deployed, and the bare one, in one workerd on one database. Neither passes Miniflare's own entry. */
export async function startWorkers(members: number) {
	const directory = await mkdtemp(join(tmpdir(), 'playhouse-bench-'))
	const configured = unstable_getMiniflareWorkerOptions(join(root, 'wrangler.toml'))
	// Miniflare puts two Workers in front of one with static assets; no answer measured here is one.
	const { assets, ...workerOptions } = configured.workerOptions as Configured
	const door = { unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }] }
	const bundle = await bundleWorker()
	const miniflare = new Miniflare({
		...convertV4MiniflareOptions({
			host: '127.0.0.1',
			port: 0,
			cf: false,
			log: new Log(LogLevel.ERROR),
			// Each line is written by workerd and read here, as in every installation; it need not be shown.
			handleStructuredLogs: () => {},
			workers: [
				{
					...workerOptions,
					...door,
					name: OURS,
					bindings: { ...workerOptions.bindings, ENVIRONMENT: 'development', AUTH_SECRET: SECRET },
					modules: [{ type: 'ESModule', path: join(bundle, 'worker.js') }],
					modulesRoot: bundle,
				},
				{
					...door,
					name: BARE,
					compatibilityDate: workerOptions.compatibilityDate,
					d1Databases: workerOptions.d1Databases,
					bindings: { SECRET },
					modules: [{ type: 'ESModule', path: join(root, 'bare-worker.js'), contents: await bundleBare() }],
				},
			],
		}),
		resourcePersistencePath: directory,
	})
	const stop = async () => {
		await miniflare.dispose()
		await rm(directory, { recursive: true, force: true })
	}
	try {
		await miniflare.ready
		const database = await miniflare.getD1Database('DB', OURS)
		const statements = (await readMigrations()).flatMap((migration) => migration.statements)
		await database.batch(statements.map((statement) => database.prepare(statement)))
		const [oursUrl, bareUrl] = await Promise.all([addressOf(miniflare, OURS), addressOf(miniflare, BARE)])
		const { orgId, token, bareToken } = await fillOrg(database, oursUrl, members)
		return {
			ours: { url: oursUrl, token } satisfies Side,
			bare: { url: bareUrl, token: bareToken } satisfies Side,
			orgId,
			stop,
		}
	} catch (error) {
		await stop()
		throw error
	}
}

const addressOf = async (miniflare: Miniflare, name: string) =>
	(await miniflare.unsafeGetDirectURL(name)).origin

async function bundleBare(): Promise<string> {
	const entry = join(import.meta.dirname, 'bare-worker.ts')
	const options = { bundle: true, minify: false, write: false, format: 'esm', target: 'es2024' } as const
	const { outputFiles } = await build({ entryPoints: [entry], ...options })
	return outputFiles[0]?.text ?? ''
}

/** One person signs up as people do; the other members are written as rows. */
async function fillOrg(database: Database, url: string, members: number) {
	const client = createClient({ baseUrl: url, fetch })
	const person = { email: 'person0@example.org', password: 'correct horse battery', name: 'Person 0' }
	const { token, user, org } = (await client.call(signup, { body: person })).data
	const now = Date.now()
	await database.batch(
		Array.from({ length: members - 1 }, (_, i) => [
			database
				.prepare('insert into users (email, name, created_at, updated_at) values (?, ?, ?, ?)')
				.bind(`person${i + 1}@example.org`, `Person ${i + 1}`, now, now),
			database
				.prepare(
					'insert into org_members (org_id, user_id, role, created_at) values (?, last_insert_rowid(), ?, ?)',
				)
				.bind(org.id, 'member', now + i),
		]).flat(),
	)
	const [, payload = ''] = token.split('.')
	return { orgId: org.id, token, bareToken: await sign(JSON.parse(atob(payload)), SECRET, 'HS256'), user }
}
