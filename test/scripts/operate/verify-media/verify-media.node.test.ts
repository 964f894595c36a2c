import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@libsql/client'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BucketName } from '../../../../edge/platform/storage/bucket.ts'
import { deriveSecrets } from '../../../../edge/platform/tokens/secrets.ts'
import { migrateLibsql } from '../../../../scripts/migrate/main.ts'
import { listExpectedObjects } from '../../../../scripts/operate/verify-media/expected-objects.ts'
import { localStore, type Store, s3Store } from '../../../../scripts/operate/verify-media/stores.ts'
import { verifyMedia } from '../../../../scripts/operate/verify-media/verify.ts'
import { type RunningWorker, secretVars, startWorker } from '../../../support/shared/miniflare-worker.ts'

const folder = 'media/pb1/job1/'
const master = `#EXTM3U
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="a",URI="audio/playlist.m3u8"
#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="a"
720p/playlist.m3u8
`
const playlist = '#EXTM3U\n#EXT-X-MAP:URI="t1-1/init.mp4"\n#EXTINF:4,\nt1-1/0.m4s\n#EXTINF:4,\nt1-1/1.m4s\n'
const storyboard =
	'WEBVTT\n\n00:00.000 --> 00:05.000\nt1-1/sheet.jpg#xywh=0,0,1,1\n\n00:05.000 --> 00:09.000\nt1-1/sheet.jpg#xywh=1,0,1,1\n'

/** Every object that the rows below expect. */
const stored: Record<BucketName, Record<string, string>> = {
	vault: {
		'sources/a1/source': 'source',
		'downloads/a1/best 1.mp4': 'download',
		'downloads/a1/720p.mp4': 'rendition',
		'communities/1/avatar.png': 'avatar',
		'communities/1/image.png': 'image',
	},
	media: {
		[`${folder}master-1.m3u8`]: master,
		[`${folder}720p/playlist.m3u8`]: playlist,
		[`${folder}720p/t1-1/init.mp4`]: 'init',
		[`${folder}720p/t1-1/0.m4s`]: 'segment',
		[`${folder}720p/t1-1/1.m4s`]: 'segment',
		[`${folder}audio/playlist.m3u8`]: playlist,
		[`${folder}audio/t1-1/init.mp4`]: 'init',
		[`${folder}audio/t1-1/0.m4s`]: 'segment',
		[`${folder}audio/t1-1/1.m4s`]: 'segment',
		[`${folder}storyboard.vtt`]: storyboard,
		[`${folder}t1-1/sheet.jpg`]: 'sheet',
		'media/pb1/subtitles/de.vtt': 'WEBVTT',
		'media/pb1/subtitles/de.srt': 'srt',
		'media/pb1/highlights/t2-1/clip.mp4': 'clip',
		'logos/logo.png': 'logo',
	},
}

const statements = [
	`insert into assets (id, org_id, title, status, playback_id, metadata, public_settings, source_key, source_size_bytes, download_key, manifest_key, storyboard_key, created_at, updated_at) values ('a1', 'o1', 'Film', 'ready', 'pb1', '{}', '{}', 'sources/a1/source', 6, 'downloads/a1/best 1.mp4', '${folder}master-1.m3u8', '${folder}storyboard.vtt', 0, 0), ('a2', 'o1', 'Empty', 'created', 'pb2', '{}', '{}', null, null, null, null, null, 0, 0)`,
	"insert into asset_subtitles (asset_id, language, key, updated_at) values ('a1', 'de', 'media/pb1/subtitles/de.vtt', 0)",
	"insert into renditions (asset_id, rung_id, job_id, position, quality, width, height, bitrate_kbps, codec, download_key, download_bytes) values ('a1', '720p', 'j1', 0, '720p', 1280, 720, 1, 'h264', 'downloads/a1/720p.mp4', 9)",
	"insert into highlights (id, asset_id, org_id, title, description, start_ms, end_ms, score, reasons, status, task_id, clip_folder, created_at) values ('h1', 'a1', 'o1', '', '', 0, 1, 1, '[]', 'ready', 't2', 'media/pb1/highlights/t2-1/', 0), ('h2', 'a1', 'o1', '', '', 0, 1, 1, '[]', 'deleted', 't3', 'media/pb1/highlights/t3-1/', 0)",
	"insert into images (rowid, community_id, post_id, object_key, content_type, created_at) values (0, 1, 7, 'communities/1/image.png', 'image/png', 0)",
	"insert into memberships (community_id, user_id, role, status, avatar_key, created_at, updated_at) values (1, 1, 'member', 'active', 'communities/1/avatar.png', 0, 0)",
	"insert into orgs (id, name, slug, tier, logo_key, created_at, updated_at) values ('o1', 'O', 'o', 'free', 'logos/logo.png', 0, 0)",
]

let directory: string
let database: string
let storage: string
beforeAll(async () => {
	directory = await mkdtemp(join(tmpdir(), 'playhouse-verify-'))
	storage = join(directory, 'storage')
	database = `file:${join(directory, 'expected.db')}`
	const client = createClient({ url: database })
	await migrateLibsql(client)
	await client.batch(statements, 'write')
	client.close()
})
afterAll(() => rm(directory, { recursive: true, force: true }))

/** Runs the Worker with all files but those that `change` takes away or replaces. */
async function storedIn(worker: RunningWorker, change: Record<string, string | null> = {}): Promise<void> {
	for (const [bucket, binding] of [
		['vault', 'VAULT'],
		['media', 'MEDIA'],
	] as const) {
		const r2 = await worker.miniflare.getR2Bucket(binding)
		for (const [key, text] of Object.entries(stored[bucket])) {
			const wanted = change[key] === undefined ? text : change[key]
			await (wanted === null ? r2.delete(key) : r2.put(key, wanted))
		}
	}
}

async function verify(store: Store) {
	const client = createClient({ url: database })
	const problems: string[] = []
	try {
		const summary = await verifyMedia(listExpectedObjects(client), store, {
			problem: ({ object: { kind, owner, key }, what }) =>
				void problems.push(`${kind} of ${owner} ${what}: ${key}`),
			progress: () => {},
		})
		return { ...summary, found: problems.toSorted() }
	} finally {
		client.close()
	}
}

const all = Object.values(stored).flatMap((bucket) => Object.keys(bucket)).length
const changes = {
	'sources/a1/source': 'longer than it was',
	'downloads/a1/best 1.mp4': null,
	[`${folder}720p/t1-1/1.m4s`]: null,
	[`${folder}audio/playlist.m3u8`]: null,
	[`${folder}t1-1/sheet.jpg`]: '',
	'media/pb1/subtitles/de.srt': null,
	'communities/1/image.png': null,
}
const found = [
	`download of asset a1 is missing: downloads/a1/best 1.mp4`,
	`image of post 7 is missing: communities/1/image.png`,
	`playback of asset a1 is missing: ${folder}720p/t1-1/1.m4s`,
	`playback of asset a1 is missing: ${folder}audio/playlist.m3u8`,
	`source of asset a1 has 18 bytes instead of 6: sources/a1/source`,
	`storyboard of asset a1 is empty: ${folder}t1-1/sheet.jpg`,
	`subtitles of asset a1 is missing: media/pb1/subtitles/de.srt`,
]

describe('npm run operate -- verify-media', () => {
	test('verify-media finds all files through an S3 API, then what is missing there and in the local store', async () => {
		await using worker = await startWorker({ persistTo: storage })
		await storedIn(worker)
		const store = s3Store({
			endpoint: `${worker.url}/s3`,
			region: 'auto',
			accessKeyId: 'playhouse',
			secretAccessKey: await deriveSecrets(secretVars.AUTH_SECRET).hmac('s3-api', 'secret'),
			bucketNames: { vault: 'vault', media: 'media' },
			signingKeys: new Map(),
		})
		expect(await verify(store)).toEqual({ checked: all, problems: 0, found: [] })
		await storedIn(worker, changes)
		expect(await verify(store)).toMatchObject({ problems: found.length, found })
		await worker.dispose()
		await using local = await localStore(storage)
		expect(await verify(local)).toMatchObject({ problems: found.length, found })
	})

	test('verify-media counts no object as empty whose size the store does not announce', async () => {
		await using server = createServer((_, response) => response.writeHead(200).end())
		await once(server.listen(0, '127.0.0.1'), 'listening')
		const store = s3Store({
			endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
			...{ region: 'auto', accessKeyId: 'playhouse', secretAccessKey: 'secret' },
			bucketNames: { vault: 'vault', media: 'media' },
			signingKeys: new Map(),
		})
		await expect(store.readSize('vault', 'sources/a1/source')).rejects.toThrow(
			'did not return the size of sources/a1/source',
		)
	})

	test('verify-media prints what is missing, and exits with 1, or with 2 if it could not check', async () => {
		const dataDir = await mkdtemp(join(directory, 'data-'))
		const run = (args: string[], env: Record<string, string> = {}) =>
			execa(process.execPath, ['scripts/operate/verify-media/main.ts', ...args], {
				env: { DATA_DIR: dataDir, ...env },
				reject: false,
			})
		expect(await run(['--help'])).toMatchObject({ exitCode: 0 })
		expect(await run([])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Give --backup') })
		expect(await run(['--database', database])).toMatchObject({
			exitCode: 2,
			stderr: expect.stringContaining('set S3_ENDPOINT'),
		})
		expect(await run(['--local'], { LIBSQL_URL: 'http://localhost:8080' })).toMatchObject({
			exitCode: 2,
			stderr: expect.stringContaining('LIBSQL_URL is set'),
		})
		await using worker = await startWorker({ persistTo: storage })
		await storedIn(worker, { 'logos/logo.png': null })
		const env = {
			S3_ENDPOINT: `${worker.url}/s3`,
			S3_ACCESS_KEY_ID: 'playhouse',
			S3_SECRET_ACCESS_KEY: await deriveSecrets(secretVars.AUTH_SECRET).hmac('s3-api', 'secret'),
			VAULT_BUCKET: 'vault',
			MEDIA_BUCKET: 'media',
		}
		expect(await run(['--database', database], env)).toMatchObject({
			exitCode: 1,
			stdout: `logo of organization o1 is missing: media logos/logo.png\n1 of ${all} files are missing or differ.`,
		})
		expect(await run(['--database', database], { ...env, S3_SECRET_ACCESS_KEY: 'wrong' })).toMatchObject({
			exitCode: 2,
			stderr: expect.stringMatching(/the object store returned 403/),
		})
	})
})
