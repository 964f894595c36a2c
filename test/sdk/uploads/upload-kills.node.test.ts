import { randomBytes, randomInt } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { Playhouse } from '../../../sdk/src/index.ts'
import { openCuttingProxy } from '../../edge/video/uploads/tus/cutting-proxy.node.ts'
import { MIB, sha256, sourceDigest } from '../../edge/video/uploads/tus/film.node.ts'
import { type RunningWorker, startWorker } from '../../support/shared/miniflare-worker.ts'
import { chooserFrom } from '../../support/shared/random.ts'
import { buildUploadProgram, type UploadArguments } from './upload-program.node.ts'

/** Set by npm run prove -- sdk-uploads for its longer run. */
const KILLS = Number(process.env.SDK_UPLOAD_KILLS || 3)
/** Chooses the bytes of all kills and cuts. The titles contain it, and SDK_UPLOAD_SEED repeats it. */
const SEED = Number(process.env.SDK_UPLOAD_SEED) || randomInt(1, 2 ** 31)
const CHUNK = 2 * MIB
const SIZE = 2 * KILLS * CHUNK + 12_345
/** More than the headers of all requests of an upload. */
const HEADER_BYTES = 64 * 1024

let worker: RunningWorker
let token: string
let folder: string
let program: string
let path: string
const bytes = randomBytes(SIZE)
beforeAll(async () => {
	worker = await startWorker()
	const account = { email: 'ada@example.org', password: 'correct horse battery', name: 'Ada' }
	token = (await new Playhouse({ baseUrl: worker.url }).auth.signup(account)).token
	folder = await mkdtemp(join(tmpdir(), 'playhouse-kills-'))
	program = join(folder, 'upload.mjs')
	path = join(folder, 'film.mp4')
	await buildUploadProgram(program)
	await writeFile(path, bytes)
})
afterAll(async () => {
	await worker?.dispose()
	await rm(folder, { recursive: true, force: true })
})

const port = () => Number(new URL(worker.url).port)

/** Returns random numbers of bytes, one in each of the equal parts of the file. */
function chooseMoments(): number[] {
	const { below } = chooserFrom(SEED)
	return Array.from({ length: KILLS }, (_, index) =>
		Math.floor((HEADER_BYTES + below(SIZE - HEADER_BYTES)) / KILLS + (index * SIZE) / KILLS),
	)
}

async function openUpload(baseUrl: string): Promise<UploadArguments> {
	const { id: assetId } = await new Playhouse({ baseUrl: worker.url, token }).assets.create({ title: 'Film' })
	return { baseUrl, token, path, assetId, chunkBytes: CHUNK, statePath: join(folder, `${assetId}.json`) }
}

test(`an upload whose process is killed ${KILLS} times sends at most one chunk again for each kill (seed ${SEED})`, async () => {
	const moments = chooseMoments()
	let kill = () => {}
	const proxy = await openCuttingProxy(
		port,
		() => undefined,
		(received) => received >= (moments[0] ?? Number.POSITIVE_INFINITY) && kill(),
	)
	onTestFinished(() => proxy.close())
	const upload = await openUpload(proxy.url)
	let kills = 0
	for (let isOver = false; !isOver; ) {
		const child = execa(process.execPath, [program, JSON.stringify(upload)], { reject: false })
		kill = () => {
			moments.shift()
			kill = () => {}
			child.kill('SIGKILL')
		}
		const { signal, exitCode, stderr } = await child
		if (signal === 'SIGKILL') kills++
		else expect([exitCode, stderr]).toEqual([0, ''])
		isOver = exitCode === 0
	}
	expect(kills).toBe(KILLS)
	expect(await sourceDigest(worker, upload.assetId)).toBe(sha256(bytes))
	expect(proxy.received).toBeLessThanOrEqual(SIZE + kills * CHUNK + HEADER_BYTES)
})

test(`an upload whose network is cut ${KILLS} times sends at most one chunk again for each cut (seed ${SEED})`, async () => {
	const { below } = chooserFrom(SEED)
	const cuts = Array.from({ length: KILLS }, () => 1 + below(CHUNK - 1))
	const proxy = await openCuttingProxy(port, () => cuts.pop())
	onTestFinished(() => proxy.close())
	const upload = await openUpload(proxy.url)
	await execa(process.execPath, [program, JSON.stringify(upload)])
	expect(proxy.cuts).toBeGreaterThan(0)
	expect(await sourceDigest(worker, upload.assetId)).toBe(sha256(bytes))
	expect(proxy.received).toBeLessThanOrEqual(SIZE + proxy.cuts * CHUNK + HEADER_BYTES)
})
