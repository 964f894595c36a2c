/** @module-tag ffmpeg */

import { mkdir, stat, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listPrograms } from '../../../scripts/lib/machine-process.ts'
import {
	type Bait,
	damage,
	type HostileFile,
	makeContainers,
	truncateTo,
	writeBombs,
	writeLures,
} from '../../transcoder-daemon/tasks/hostile-files.ts'
import { makeCenc, makeNoise } from '../../transcoder-daemon/tasks/inspection/protected-files.ts'
import { makeVideo } from '../../transcoder-daemon/tasks/make-video.ts'
import { startCountdown } from './countdown.ts'
import { type Installation, startInstallation } from './one-command-installation.ts'

/** npm run prove -- product-corpus runs all of them; `npm test` runs one of each kind. */
const isLong = process.env.PRODUCT_CORPUS === 'all'
const MUTATIONS = isLong ? 20 : 2

let installation: Installation
let dir: string
let bait: Bait
const connections: string[] = []
const server = createServer((socket) => {
	connections.push('one')
	socket.destroy()
})

beforeAll(async () => {
	installation = await startInstallation()
	dir = join(installation.folder, 'hostile')
	await mkdir(join(dir, 'elsewhere'), { recursive: true })
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
	const address = server.address()
	const port = typeof address === 'object' ? address?.port : 0
	const file = await makeVideo(join(dir, 'elsewhere'), { name: 'canary.ts' })
	bait = { file, url: `http://127.0.0.1:${port}/canary.ts` }
})
afterAll(async () => {
	await installation?.[Symbol.asyncDispose]()
	server.close()
})

const READABLE = /^[a-z][^\n/\\[\]@]{10,200}[^.]$/
/** Sets the access time before the modification time, so that the next read updates it. */
const resetAccessTime = (path: string) => utimes(path, new Date('2001-01-01'), new Date())

/** The outcome of each file: `ready` or the error message of the asset. */
async function processAll(files: readonly HostileFile[]): Promise<Map<string, string>> {
	const { owner } = installation
	const printProgress = startCountdown(files.length)
	const outcomes = new Map<string, string>()
	for (const { label, path } of files) {
		const { status, errorMessage } = await owner.settled(await owner.process(path, label))
		const outcome = status === 'error' ? (errorMessage ?? '') : status
		outcomes.set(label, outcome)
		if (isLong) printProgress(`${label.padEnd(50)} ${outcome}`)
	}
	return outcomes
}

const sample = <T>(list: readonly T[], every: number): T[] =>
	isLong ? [...list] : list.filter((_, index) => index % every === 0)

const HOUR_MS = 3_600_000

test('an uploaded file makes the machine read no other file and request no URL', {
	timeout: HOUR_MS,
}, async () => {
	const lures = sample(await writeLures(dir, bait), 8)
	await resetAccessTime(bait.file)
	for (const [label, outcome] of await processAll(lures)) expect(outcome, label).toMatch(READABLE)
	expect((await stat(bait.file)).atime.getFullYear()).toBe(2001)
	expect(connections).toEqual([])
})

test('processing explains why decompression bombs and other malformed files fail', {
	timeout: HOUR_MS,
}, async () => {
	const bombs = (await writeBombs(dir)).filter(({ label }) => label !== 'no bytes')
	for (const [label, outcome] of await processAll(sample(bombs, 5))) expect(outcome, label).toMatch(READABLE)
})

test('the rejection of an encrypted upload names the encryption scheme', { timeout: HOUR_MS }, async () => {
	const files = [await makeNoise(dir), ...sample(await makeCenc(dir), 5)]
	for (const [label, outcome] of await processAll(files))
		expect(outcome, label).toMatch(/^this file is encrypted \((cbcs|cenc)\); upload an unprotected copy$/)
})

test('rejects the completion of an empty upload', async () => {
	const path = join(dir, 'empty.mp4')
	await writeFile(path, '')
	await expect(installation.owner.process(path, 'Nothing')).rejects.toThrow('409 the uploaded file is empty')
})

test('truncated and damaged uploads are published, or the asset explains why they fail', {
	timeout: HOUR_MS,
}, async () => {
	const containers = await makeContainers(dir)
	const whole = containers.filter((path) => !/(ts|fragments\.mp4)$/.test(path))
	const cuts = await Promise.all(sample(whole, 4).map((path) => truncateTo(path, [0.6])))
	for (const [label, outcome] of await processAll(cuts.flat())) expect(outcome, label).toMatch(READABLE)
	const flips = Array.from({ length: MUTATIONS }, (_, seed) =>
		damage(containers[seed % containers.length] ?? '', seed),
	)
	for (const [label, outcome] of await processAll(await Promise.all(flips)))
		if (outcome !== 'ready') expect(outcome, label).toMatch(READABLE)
})

test('a corpus of hostile uploads leaves no child process, and later videos are still processed', {
	timeout: HOUR_MS,
}, async () => {
	const path = await makeVideo(dir, { name: 'good.mp4' })
	expect((await processAll([{ label: 'valid video', path }])).get('valid video')).toBe('ready')
	expect(installation.output()).not.toMatch(/The transcoder (ended|could not)/)
	await expect
		.poll(
			async () =>
				(await listPrograms(installation.folder)).filter(({ command }) => /\bff(mpeg|probe)\b/.test(command)),
			{
				timeout: 120_000,
			},
		)
		.toEqual([])
})
