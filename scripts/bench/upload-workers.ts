import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'
import { createAsset, deleteAsset } from '../../schema/contract/assets.ts'
import { createClient } from '../../schema/contract/client.ts'
import { signup } from '../../schema/contract/identity.ts'
import { createUploadToken } from '../../schema/contract/uploads.ts'
import { readMigrations } from '../migrations.ts'
import { bundleWorker } from '../start/bundle.ts'
import { root } from '../start/settings.ts'
import { readConfig } from '../start/workers.ts'

const OURS = 'ours'
const BARE = 'bare'

/** Ours as it is deployed and the bare one, in one workerd on one bucket; neither passes Miniflare's own entry. */
export async function startUploadWorkers() {
	const directory = await mkdtemp(join(tmpdir(), 'playhouse-bench-'))
	const { assets, ...configured } = readConfig(join(root, 'wrangler.toml'))
	const { r2Buckets } = configured as { r2Buckets?: Record<string, string> }
	const door = { unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }] }
	const bundle = await bundleWorker()
	const bindings = {
		...configured.bindings,
		ENVIRONMENT: 'development',
		AUTH_SECRET: 'a-secret-that-is-only-good-for-this-benchmark',
	}
	const miniflare = new Miniflare({
		...convertV4MiniflareOptions({
			host: '127.0.0.1',
			port: 0,
			cf: false,
			log: new Log(LogLevel.ERROR),
			handleStructuredLogs: () => {},
			workers: [
				{
					...configured,
					...door,
					name: OURS,
					bindings,
					modules: [{ type: 'ESModule', path: join(bundle, 'worker.js') }],
					modulesRoot: bundle,
				},
				{
					...door,
					name: BARE,
					compatibilityDate: configured.compatibilityDate,
					...(r2Buckets && { r2Buckets }),
					modules: [{ type: 'ESModule', path: join(root, 'bare.js'), contents: await bundleBare() }],
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
		const ours = (await miniflare.unsafeGetDirectURL(OURS)).origin
		const bare = (await miniflare.unsafeGetDirectURL(BARE)).origin
		return { ours: await openAssets(ours), bare, directory, stop }
	} catch (error) {
		await stop()
		throw error
	}
}

async function bundleBare(): Promise<string> {
	const entryPoints = [join(import.meta.dirname, 'upload-bare.ts')]
	const { outputFiles } = await build({ entryPoints, bundle: true, write: false, format: 'esm' })
	return outputFiles[0]?.text ?? ''
}

/** An upload needs an asset of its own; what it left is deleted, so that the disk holds one at a time. */
async function openAssets(url: string) {
	const client = createClient({ baseUrl: url, fetch })
	const person = { email: 'person@example.org', password: 'correct horse battery', name: 'Person' }
	const { token } = (await client.call(signup, { body: person })).data
	const base64 = (text: string) => Buffer.from(text).toString('base64')
	return {
		async withAsset<T>(
			fileSize: number,
			act: (asset: {
				tus: { endpoint: string; headers: Record<string, string> }
				raw: { url: string; headers: Record<string, string> }
			}) => Promise<T>,
		): Promise<T> {
			const { id } = (await client.call(createAsset, { body: { title: 'Film' } }, { token })).data
			const params = { assetId: id }
			const upload = (await client.call(createUploadToken, { params, body: { fileSize } }, { token })).data
			const headers = {
				authorization: `Bearer ${upload.token}`,
				'upload-metadata': `filename ${base64(upload.sourceKey)}`,
			}
			try {
				return await act({
					tus: { endpoint: `${url}/upload/videos`, headers },
					raw: { url: `${url}/v1/assets/${id}/upload`, headers: { authorization: `Bearer ${token}` } },
				})
			} finally {
				await client.call(deleteAsset, { params }, { token })
			}
		},
	}
}
