/** @module-tag ffmpeg */

import { mkdir, stat, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../ffmpeg/programs.ts'
import {
	type Bait,
	claim,
	cut,
	flip,
	makeContainers,
	writeBombs,
	writeFrameBombs,
	writeGrowing,
	writeHugeMetadata,
	writeLures,
	writePixelBombs,
	writeTinyBoxes,
} from './hostile-files.ts'
import { makeVideo } from './make-video.ts'
import { tryFile } from './try-hostile.ts'

/** scripts/prove/hostile.ts raises this. */
const MUTATIONS = Number(process.env.MUTATIONS ?? 24)

const folder = await temporaryFolder()
const connections: string[] = []
const server = createServer((socket) => {
	connections.push('one')
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
const readable = expect.stringMatching(/^[A-Z][^\n/\\[\]@]{10,200}[.]$/)
const refused = expect.objectContaining({ kind: 'refused', message: readable })

/** Access time of a file: earlier than its change until something reads it. */
async function forget(path: string): Promise<void> {
	await utimes(path, new Date('2001-01-01'), new Date())
}

test('reads no other file and no address because of a hostile file', async () => {
	for (const { what, path } of await writeLures(folder.path, bait)) {
		await forget(bait.file)
		expect(await tryFile(path, folder.path), what).toEqual(refused)
		expect((await stat(bait.file)).atime.getFullYear(), what).toBe(2001)
	}
	expect(connections).toEqual([])
})

test('rejects bombs and nonsense with messages for users', async () => {
	const bombs = await writeBombs(folder.path)
	const said = new Map<string, unknown>()
	for (const { what, path } of bombs) {
		const outcome = await tryFile(path, folder.path)
		expect(outcome, what).toEqual(refused)
		said.set(what, outcome)
	}
	expect(said.get('67 million pixels')).toMatchObject({ message: expect.stringContaining('too large') })
	expect(said.get('500 tracks')).toMatchObject({ message: expect.stringContaining('more than 64 tracks') })
})

test('does not decode frames larger than memory, wherever their size is declared', async () => {
	for (const { what, path } of await writePixelBombs(folder.path))
		expect(await tryFile(path, folder.path), what).toEqual(refused)
})

test('rejects a video of one pixel at thousands of frames per second', async () => {
	for (const { what, path } of await writeFrameBombs(folder.path))
		expect(await tryFile(path, folder.path), what).toMatchObject({
			message: 'This video has more than 300 frames per second.',
		})
})

test('does not unpack data that grows a thousandfold', async () => {
	for (const { what, path } of await writeGrowing(folder.path))
		expect(await tryFile(path, folder.path), what).toMatchObject({
			kind: 'refused',
			message: 'This file expands to far more data than its size allows.',
		})
})

test('is not delayed by hundreds of thousands of tiny boxes', async () => {
	for (const { what, path } of await writeTinyBoxes(folder.path)) {
		const outcome = await tryFile(path, folder.path)
		if (outcome.kind !== 'played') expect(outcome, what).toEqual(refused)
	}
})

test('does not read two gigabytes of metadata into memory', async () => {
	for (const { what, path } of await writeHugeMetadata(folder.path))
		expect(await tryFile(path, folder.path), what).toEqual(refused)
})

test('ignores a false length in the header', async () => {
	const path = join(folder.path, 'years.mp4')
	await writeFile(path, await claim(folder.path, 'mvhd', 16))
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
])('rejects %s truncated at any position', async (name) => {
	const path = join(folder.path, name)
	for (const { what, path: file } of await cut(path, [0.02, 0.3, 0.5, 0.7, 0.9, 0.99]))
		expect(await tryFile(file, folder.path), what).toEqual(refused)
	expect(await tryFile(path, folder.path)).toMatchObject({ kind: 'played' })
})

test.each([['cut.ts'], ['cut-fragments.mp4']])(
	'plays the remainder of %s, which does not record its length',
	async (name) => {
		for (const { what, path } of await cut(join(folder.path, name), [0.02, 0.5, 0.9])) {
			const outcome = await tryFile(path, folder.path)
			if (outcome.kind === 'played') expect(outcome.info.durationSec, what).toBeLessThan(2.1)
			else expect(outcome, what).toEqual(refused)
		}
	},
)

test('rejects or plays damaged files, with no other outcome', async () => {
	for (let seed = 0; seed < MUTATIONS; seed++) {
		const { what, path } = await flip(containers[seed % containers.length] ?? '', seed)
		const outcome = await tryFile(path, folder.path)
		if (outcome.kind !== 'played') expect(outcome, what).toEqual(refused)
	}
})
