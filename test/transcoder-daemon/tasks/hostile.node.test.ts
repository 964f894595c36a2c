/** @module-tag ffmpeg */

import { mkdir, stat, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../ffmpeg/programs.ts'
import {
	type Bait,
	damage,
	makeContainers,
	truncateTo,
	withHugeNumber,
	writeBombs,
	writeExpanding,
	writeFrameBombs,
	writeHugeMetadata,
	writeLures,
	writePixelBombs,
	writeTinyBoxes,
} from './hostile-files.ts'
import { makeNoise } from './inspection/protected-files.ts'
import { makeVideo } from './make-video.ts'
import { tryFile } from './try-hostile.ts'

/** npm run prove -- hostile sets a higher number. */
const MUTATIONS = Number(process.env.MUTATIONS ?? 24)

const folder = await temporaryFolder()
const connections: string[] = []
const server = createServer((socket) => {
	connections.push('connected')
	socket.destroy()
})
let bait: Bait
let containers: string[]

beforeAll(async () => {
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
	const address = server.address()
	const port = typeof address === 'object' ? address?.port : 0
	await mkdir(join(folder.path, 'elsewhere'))
	const file = await makeVideo(join(folder.path, 'elsewhere'), { name: 'canary.ts' })
	bait = { file, url: `http://127.0.0.1:${port}/canary.ts` }
	containers = await makeContainers(folder.path)
})
afterAll(async () => {
	server.close()
	await folder[Symbol.asyncDispose]()
})

/** A message for users: a sentence without addresses, paths or output of programs. */
const readable = expect.stringMatching(/^[a-z][^\n/\\[\]@]{10,200}[^.]$/)
const rejected = expect.objectContaining({ kind: 'rejected', message: readable })

/** Sets the access time before the change time, so that the next read updates it. */
async function resetAccessTime(path: string): Promise<void> {
	await utimes(path, new Date('2001-01-01'), new Date())
}

test('a hostile file makes no program read another file or a URL', async () => {
	for (const { label, path } of await writeLures(folder.path, bait)) {
		await resetAccessTime(bait.file)
		expect(await tryFile(path, folder.path), label).toEqual(rejected)
		expect((await stat(bait.file)).atime.getFullYear(), label).toBe(2001)
	}
	expect(connections).toEqual([])
})

test('bombs and noise are rejected with messages for users', async () => {
	const bombs = await writeBombs(folder.path)
	const outcomes = new Map<string, unknown>()
	for (const { label, path } of bombs) {
		const outcome = await tryFile(path, folder.path)
		expect(outcome, label).toEqual(rejected)
		outcomes.set(label, outcome)
	}
	expect(outcomes.get('67 million pixels')).toMatchObject({ message: expect.stringContaining('too large') })
	expect(outcomes.get('500 tracks')).toMatchObject({
		message: expect.stringContaining('more than 64 tracks'),
	})
})

test('frames larger than memory are not decoded, wherever their size is declared', async () => {
	for (const { label, path } of await writePixelBombs(folder.path))
		expect(await tryFile(path, folder.path), label).toEqual(rejected)
})

test('a video of one pixel at thousands of frames per second is rejected', async () => {
	for (const { label, path } of await writeFrameBombs(folder.path))
		expect(await tryFile(path, folder.path), label).toMatchObject({
			message: 'this video has more than 300 frames per second',
		})
})

test('data that expands a thousandfold is not unpacked', async () => {
	for (const { label, path } of await writeExpanding(folder.path))
		expect(await tryFile(path, folder.path), label).toMatchObject({
			kind: 'rejected',
			message: 'this file expands to far more data than its size allows',
		})
})

test('hundreds of thousands of tiny boxes do not delay the inspection', async () => {
	for (const { label, path } of await writeTinyBoxes(folder.path)) {
		const outcome = await tryFile(path, folder.path)
		if (outcome.kind !== 'played') expect(outcome, label).toEqual(rejected)
	}
})

test('two gigabytes of metadata are not read into memory', async () => {
	for (const { label, path } of await writeHugeMetadata(folder.path))
		expect(await tryFile(path, folder.path), label).toEqual(rejected)
})

test('a false length in the header is ignored', async () => {
	const path = join(folder.path, 'years.mp4')
	await writeFile(path, await withHugeNumber(folder.path, 'mvhd', 16))
	expect(await tryFile(path, folder.path)).toMatchObject({ kind: 'played', info: { durationSec: 1 } })
})

test.each([
	['cut.mp4'],
	['cut-behind.mp4'],
	['cut.mov'],
	['cut.mkv'],
	['cut.webm'],
	['cut.avi'],
	['cut.flv'],
])('a source of %s truncated at any position is rejected', async (name) => {
	const path = join(folder.path, name)
	for (const { label, path: file } of await truncateTo(path, [0.02, 0.3, 0.5, 0.7, 0.9, 0.99]))
		expect(await tryFile(file, folder.path), label).toEqual(rejected)
	expect(await tryFile(path, folder.path)).toMatchObject({ kind: 'played' })
})

test.each([['cut.ts'], ['cut-fragments.mp4']])(
	'the remainder of %s, which does not record its length, is played',
	async (name) => {
		for (const { label, path } of await truncateTo(join(folder.path, name), [0.02, 0.5, 0.9])) {
			const outcome = await tryFile(path, folder.path)
			if (outcome.kind === 'played') expect(outcome.info.durationSec, label).toBeLessThan(2.1)
			else expect(outcome, label).toEqual(rejected)
		}
	},
)

test('damaged files are rejected or played, with no other outcome', async () => {
	const files = [...containers, (await makeNoise(folder.path)).path]
	for (let seed = 0; seed < MUTATIONS; seed++) {
		const { label, path } = await damage(files[seed % files.length] ?? '', seed)
		const outcome = await tryFile(path, folder.path)
		if (outcome.kind !== 'played') expect(outcome, label).toEqual(rejected)
	}
})
