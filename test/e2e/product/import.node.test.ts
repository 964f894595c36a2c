/** @module-tag ffmpeg */

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAsset } from '#schema/contract/video/assets.ts'
import { downloadAsset } from '#schema/contract/video/downloads.ts'
import { processAsset } from '#schema/contract/video/transcoding.ts'
import { importSource } from '#schema/contract/video/uploads.ts'
import { getPlayback } from '#schema/contract/watch/playback.ts'
import { type MachineProcess, startMachine } from '../../../scripts/lib/machine-process.ts'
import { encodeOnce } from '../../support/shared/media-cache.ts'
import { type RunningWorker, secretVars, startWorker } from '../../support/shared/miniflare-worker.ts'
import { type Owner, signUp } from '../fleet/installation.ts'

/** A random loopback address, as imports are allowed from a few ports only, which may be in use. */
const byte = () => 1 + Math.floor(Math.random() * 250)
const ADDRESS = `127.${byte()}.${byte()}.${byte()}`
const PORTS = [8080, 8443, 80]
let port: number
const filmUrl = (path: string) => `http://films.example:${port}${path}`

let folder: string
let film: Buffer
let worker: RunningWorker
let machine: MachineProcess
let owner: Owner

/** Resolves when half of the film is sent; the test then sends the rest. */
let slow = Promise.withResolvers<ServerResponse>()
const redirect = (to: string) => (response: ServerResponse) =>
	void response.writeHead(302, { location: to }).end()
const routes: Record<string, (response: ServerResponse, request: IncomingMessage) => void> = {
	'/film.mp4': (response) => void response.end(film),
	'/slow.mp4': (response) => {
		response.writeHead(200, { 'content-length': film.length })
		response.write(film.subarray(0, film.length / 2), () => slow.resolve(response))
	},
	'/moved': redirect('/film.mp4'),
	'/circle': redirect('/circle'),
	'/inside': redirect('http://10.0.0.1:8080/'),
	'/metadata': redirect('http://169.254.169.254/latest/meta-data/'),
	'/page': (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
	'/playlist.mp4': (response) => void response.end('#EXTM3U\nfile:///etc/passwd\n'),
	'/private': (response) => void response.writeHead(403).end(),
	'/empty': (response) => void response.end(),
	'/noise.mp4': (response) => void response.end(Buffer.alloc(50_000, 'noise')),
}
const server = createServer((request, response) => {
	const route = routes[request.url ?? '']
	if (route) route(response, request)
	else response.writeHead(404).end()
})

/** Listens on the first port that no other program has, and returns it. */
async function listen(): Promise<number> {
	for (const port of PORTS) {
		const isFree = await once(server.listen(port, ADDRESS), 'listening').then(
			() => true,
			() => false,
		)
		if (isFree) return port
	}
	throw new Error(`other programs have all of the ports ${PORTS}`)
}

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'playhouse-import-'))
	const path = join(folder, 'film.mp4')
	const inputs = ['testsrc2=size=320x180:rate=25:duration=2', 'sine=duration=2']
	const [picture = '', sound = ''] = inputs
	const args = [
		...['-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', sound],
		...['-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-c:a', 'aac', '-movflags', '+faststart'],
	]
	await encodeOnce(process.env.FFMPEG_PATH ?? 'ffmpeg', args, path)
	film = await readFile(path)
	port = await listen()
	// Short leases, so that heartbeats soon report a deletion.
	worker = await startWorker({ vars: { ...secretVars, LEASE_SECONDS: '8' } })
	owner = await signUp(() => worker.url)
	machine = startMachine({
		edgeUrl: worker.url,
		fleetToken: secretVars.FLEET_TOKEN,
		dataDir: join(folder, 'machine'),
		name: 'importing',
		main: join(import.meta.dirname, 'importing-daemon.ts'),
		env: { PLAYHOUSE_CODECS: 'none', FILMS_HOST: 'films.example', FILMS_ADDRESS: ADDRESS },
	})
})
afterAll(async () => {
	machine?.signal('SIGTERM')
	await machine?.ended
	server.close()
	server.closeAllConnections()
	await worker?.dispose()
	await rm(folder, { recursive: true, force: true })
})

async function importVideo(sourceUrl: string): Promise<string> {
	const client = owner.client()
	const { id: assetId } = (await client.call(createAsset, { body: { title: 'Film' } })).data
	await client.call(importSource, { params: { assetId }, body: { sourceUrl } })
	await client.call(processAsset, { params: { assetId }, body: {} })
	return assetId
}

const objectsOf = async (assetId: string) => {
	const vault = await worker.miniflare.getR2Bucket('VAULT')
	return (await vault.list({ prefix: `sources/${assetId}/` })).objects.map(({ key }) => key)
}

test('imports a video by its URL, processes it and keeps the original', async () => {
	slow = Promise.withResolvers()
	const assetId = await importVideo(filmUrl('/slow.mp4'))
	const response = await slow.promise
	await expect
		.poll(async () => (await owner.get(assetId)).job?.progress, { timeout: 60_000 })
		.toBeGreaterThan(0)
	expect(await owner.get(assetId)).toMatchObject({ status: 'processing', currentStep: 'fetching' })
	response.end(film.subarray(film.length / 2))
	const ready = await owner.settled(assetId)
	expect([ready.status, ready.errorMessage]).toEqual(['ready', undefined])
	expect(ready).toMatchObject({ durationSec: 2, currentStep: null, job: { status: 'completed' } })

	const { playbackId } = ready
	const record = (await owner.client().call(getPlayback, { params: { playbackId }, query: {} })).data
	expect(await (await fetch(record.manifestUrl)).text()).toContain('#EXTM3U')
	const query = { quality: 'source' }
	const file = (await owner.client().call(downloadAsset, { params: { assetId }, query })).data
	const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
	expect(digest(await (await fetch(file.downloadUrl)).bytes())).toBe(digest(film))
})

test('an import follows a redirect to the video', async () => {
	expect((await owner.settled(await importVideo(filmUrl('/moved')))).status).toBe('ready')
})

test('an import explains why a URL can’t be imported, and stores nothing', async () => {
	const cases: [url: string, message: RegExp][] = [
		[filmUrl('/nothing'), /^there is no video at this URL \(404\); check it$/],
		[filmUrl('/private'), /^the server of the video requires permission \(403\)/],
		[filmUrl('/page'), /^this URL is a web page/],
		[filmUrl('/playlist.mp4'), /^this URL is a playlist/],
		[filmUrl('/empty'), /^the file at this URL is empty$/],
		[filmUrl('/circle'), /redirects more than 3 times$/],
		[filmUrl('/inside'), /^the address of the video must have a public host$/],
		[filmUrl('/metadata'), /^the address of the video must have a public host$/],
		[filmUrl('/noise.mp4'), /^this file is not a readable video/],
	]
	const ids = await Promise.all(cases.map(([url]) => importVideo(url)))
	for (const [i, id] of ids.entries()) {
		const { status, errorMessage, currentStep, job } = await owner.settled(id)
		const [url = '', message = /./] = cases[i] ?? []
		expect([status, currentStep, job?.status], url).toEqual(['error', null, 'failed'])
		expect(errorMessage, url).toMatch(message)
		// A file that was fetched is kept as the source even if it is not a video.
		expect(await objectsOf(id), url).toHaveLength(url.endsWith('noise.mp4') ? 1 : 0)
	}
})

test('an import of a deleted video stops, and the machine continues with other tasks', async () => {
	slow = Promise.withResolvers()
	const assetId = await importVideo(filmUrl('/slow.mp4'))
	const response = await slow.promise
	const closed = once(response, 'close')
	await owner.delete(assetId)
	await closed
	expect(await objectsOf(assetId)).toEqual([])
	const db = await worker.miniflare.getD1Database('DB')
	const events = await db.prepare("select 1 from outbox where type = 'asset.deleted'").all()
	expect(events.results).toHaveLength(1)
	const jobs = await db.prepare('select status from jobs where asset_id = ?').bind(assetId).all()
	expect(jobs.results).toEqual([{ status: 'cancelled' }])
	expect((await owner.settled(await importVideo(filmUrl('/film.mp4')))).status).toBe('ready')
})
