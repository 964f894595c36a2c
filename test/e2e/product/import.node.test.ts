/** @module-tag ffmpeg */

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAsset } from '#schema/contract/video/assets.ts'
import { downloadAsset } from '#schema/contract/video/downloads.ts'
import { getPlayback } from '#schema/contract/video/playback.ts'
import { processAsset } from '#schema/contract/video/transcoding.ts'
import { importSource } from '#schema/contract/video/uploads.ts'
import { type MachineProcess, startMachine } from '../../../scripts/lib/machine-process.ts'
import { type RunningWorker, secretVars, startWorker } from '../../support/shared/miniflare-worker.ts'
import { type Owner, signUp } from '../fleet/installation.ts'

/** One of the addresses of this machine that nobody else uses, since imports are taken from a few ports only. */
const byte = () => 1 + Math.floor(Math.random() * 250)
const ADDRESS = `127.${byte()}.${byte()}.${byte()}`
const PORT = 8080
const films = (path: string) => `http://films.example:${PORT}${path}`

let folder: string
let film: Buffer
let worker: RunningWorker
let machine: MachineProcess
let owner: Owner

/** Answers with half of the film, and with the rest when it is told to. */
let slow = Promise.withResolvers<ServerResponse>()
const redirect = (to: string) => (answer: ServerResponse) =>
	void answer.writeHead(302, { location: to }).end()
const routes: Record<string, (answer: ServerResponse, request: IncomingMessage) => void> = {
	'/film.mp4': (answer) => void answer.end(film),
	'/slow.mp4': (answer) => {
		answer.writeHead(200, { 'content-length': film.length })
		answer.write(film.subarray(0, film.length / 2), () => slow.resolve(answer))
	},
	'/moved': redirect('/film.mp4'),
	'/circle': redirect('/circle'),
	'/inside': redirect('http://10.0.0.1:8080/'),
	'/metadata': redirect('http://169.254.169.254/latest/meta-data/'),
	'/page': (answer) => void answer.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
	'/playlist.mp4': (answer) => void answer.end('#EXTM3U\nfile:///etc/passwd\n'),
	'/private': (answer) => void answer.writeHead(403).end(),
	'/empty': (answer) => void answer.end(),
	'/noise.mp4': (answer) => void answer.end(Buffer.alloc(50_000, 'noise')),
}
const server = createServer((request, answer) => {
	const route = routes[request.url ?? '']
	if (route) route(answer, request)
	else answer.writeHead(404).end()
})

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'playhouse-import-'))
	const path = join(folder, 'film.mp4')
	const inputs = ['testsrc2=size=320x180:rate=25:duration=2', 'sine=duration=2']
	const [picture = '', sound = ''] = inputs
	await promisify(execFile)('ffmpeg', [
		...['-v', 'error', '-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', sound],
		...['-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-c:a', 'aac', '-movflags', '+faststart', path],
	])
	film = await readFile(path)
	server.listen(PORT, ADDRESS)
	await once(server, 'listening')
	// Heartbeats each few seconds, so that who deletes is heard soon.
	worker = await startWorker({ vars: { ...secretVars, LEASE_SECONDS: '8' } })
	owner = await signUp(() => worker.url)
	machine = startMachine({
		edgeUrl: worker.url,
		fleetToken: secretVars.FLEET_TOKEN,
		dataDir: join(folder, 'machine'),
		name: 'importing',
		main: join(import.meta.dirname, 'importing-daemon.ts'),
		env: { FILMS_HOST: 'films.example', FILMS_ADDRESS: ADDRESS },
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

async function bring(sourceUrl: string): Promise<string> {
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

test('an address becomes a video that plays: fetched, looked into, and kept as it was', async () => {
	slow = Promise.withResolvers()
	const assetId = await bring(films('/slow.mp4'))
	const answer = await slow.promise
	await expect
		.poll(async () => (await owner.get(assetId)).job?.progress, { timeout: 60_000 })
		.toBeGreaterThan(0)
	expect(await owner.get(assetId)).toMatchObject({ status: 'processing', currentStep: 'fetching' })
	answer.end(film.subarray(film.length / 2))
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

test('an address that leads on leads to the video', async () => {
	expect((await owner.settled(await bring(films('/moved')))).status).toBe('ready')
})

test('an address that is no good ends in words that people understand, and leaves nothing', async () => {
	const said: [url: string, message: RegExp][] = [
		[films('/nothing'), /^There is no video at this address \(404\)\.$/],
		[films('/private'), /^The server of the video requires permission \(403\)\./],
		[films('/page'), /^This address is a web page, not a video\./],
		[films('/playlist.mp4'), /^This address is a playlist\./],
		[films('/empty'), /^The file at this address is empty\.$/],
		[films('/circle'), /redirects more than 3 times\.$/],
		[films('/inside'), /^The address of the video must have a public host\.$/],
		[films('/metadata'), /^The address of the video must have a public host\.$/],
		[films('/noise.mp4'), /^This file is not a readable video/],
	]
	const ids = await Promise.all(said.map(([url]) => bring(url)))
	for (const [i, id] of ids.entries()) {
		const { status, errorMessage, currentStep, job } = await owner.settled(id)
		const [url = '', message = /./] = said[i] ?? []
		expect([status, currentStep, job?.status], url).toEqual(['error', null, 'failed'])
		expect(errorMessage, url).toMatch(message)
		// What was brought and is no video is the source all the same.
		expect(await objectsOf(id), url).toHaveLength(url.endsWith('noise.mp4') ? 1 : 0)
	}
})

test('deleted while it is being fetched, it is fetched no further, and the machine goes on', async () => {
	slow = Promise.withResolvers()
	const assetId = await bring(films('/slow.mp4'))
	const answer = await slow.promise
	const closed = once(answer, 'close')
	await owner.delete(assetId)
	await closed
	expect(await objectsOf(assetId)).toEqual([])
	const db = await worker.miniflare.getD1Database('DB')
	const told = await db.prepare("select 1 from outbox where type = 'asset.deleted'").all()
	expect(told.results).toHaveLength(1)
	const left = await db.prepare('select status from jobs where asset_id = ?').bind(assetId).all()
	expect(left.results).toEqual([{ status: 'cancelled' }])
	expect((await owner.settled(await bring(films('/film.mp4')))).status).toBe('ready')
})
