/** @module-tag ffmpeg */

import { mkdir, stat, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { programsIn } from '../../../scripts/lib/machine-process.ts'
import {
	type Bait,
	damage,
	type HostileFile,
	makeContainers,
	truncateTo,
	writeBombs,
	writeLures,
} from '../../transcoder-daemon/tasks/hostile-files.ts'
import { makeVideo } from '../../transcoder-daemon/tasks/make-video.ts'
import { startCountdown } from './countdown.ts'
import { type Home, openHome } from './one-command-installation.ts'

/** scripts/prove/product-corpus.ts takes all; the tests take one of each kind. */
const isLong = process.env.PRODUCT_CORPUS === 'all'
const MUTATIONS = isLong ? 20 : 2

let home: Home
let dir: string
let bait: Bait
const connections: string[] = []
const server = createServer((socket) => {
	connections.push('one')
	socket.destroy()
})

beforeAll(async () => {
	home = await openHome()
	dir = join(home.folder, 'hostile')
	await mkdir(join(dir, 'elsewhere'), { recursive: true })
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
	const address = server.address()
	const port = typeof address === 'object' ? address?.port : 0
	const file = await makeVideo(join(dir, 'elsewhere'), { name: 'canary.ts' })
	bait = { file, url: `http://127.0.0.1:${port}/canary.ts` }
})
afterAll(async () => {
	await home?.[Symbol.asyncDispose]()
	server.close()
})

const READABLE = /^[A-Z][^\n/\\[\]@]{10,200}[.]$/
/** When a file was last read: earlier than its change, until somebody does. */
const forget = (path: string) => utimes(path, new Date('2001-01-01'), new Date())

/** What became of each: `ready`, or why not, in the words that its owner is told. */
async function takeAll(files: readonly HostileFile[]): Promise<Map<string, string>> {
	const { owner } = home
	const tell = startCountdown(files.length)
	const outcomes = new Map<string, string>()
	for (const { label, path } of files) {
		const { status, errorMessage } = await owner.settled(await owner.process(path, label))
		const outcome = status === 'error' ? (errorMessage ?? '') : status
		outcomes.set(label, outcome)
		if (isLong) tell(`${label.padEnd(50)} ${outcome}`)
	}
	return outcomes
}

const some = <T>(list: readonly T[], every: number): T[] =>
	isLong ? [...list] : list.filter((_, index) => index % every === 0)

const HOUR_MS = 3_600_000

test('no upload makes a machine read another file, or ask an address', { timeout: HOUR_MS }, async () => {
	const lures = some(await writeLures(dir, bait), 8)
	await forget(bait.file)
	for (const [label, outcome] of await takeAll(lures)) expect(outcome, label).toMatch(READABLE)
	expect((await stat(bait.file)).atime.getFullYear()).toBe(2001)
	expect(connections).toEqual([])
})

test('bombs and nonsense end in words that people understand', { timeout: HOUR_MS }, async () => {
	const bombs = (await writeBombs(dir)).filter(({ label }) => label !== 'no bytes')
	for (const [label, outcome] of await takeAll(some(bombs, 5))) expect(outcome, label).toMatch(READABLE)
})

test('a file without a byte is refused when its upload is completed', async () => {
	const path = join(dir, 'empty.mp4')
	await writeFile(path, '')
	await expect(home.owner.process(path, 'Nothing')).rejects.toThrow('409 the uploaded file is empty')
})

test('what was cut off or damaged is refused or played, and nothing else', { timeout: HOUR_MS }, async () => {
	const containers = await makeContainers(dir)
	const whole = containers.filter((path) => !/(ts|fragments\.mp4)$/.test(path))
	const cuts = await Promise.all(some(whole, 4).map((path) => truncateTo(path, [0.6])))
	for (const [label, outcome] of await takeAll(cuts.flat())) expect(outcome, label).toMatch(READABLE)
	const flips = Array.from({ length: MUTATIONS }, (_, seed) =>
		damage(containers[seed % containers.length] ?? '', seed),
	)
	for (const [label, outcome] of await takeAll(await Promise.all(flips)))
		if (outcome !== 'ready') expect(outcome, label).toMatch(READABLE)
})

test('the machine lives on, and nothing that it started is left', { timeout: HOUR_MS }, async () => {
	const path = await makeVideo(dir, { name: 'good.mp4' })
	expect((await takeAll([{ label: 'a good one', path }])).get('a good one')).toBe('ready')
	expect(home.output()).not.toMatch(/The transcoder (ended|could not)/)
	await expect
		.poll(
			async () => (await programsIn(home.folder)).filter(({ command }) => /\bff(mpeg|probe)\b/.test(command)),
			{
				timeout: 120_000,
			},
		)
		.toEqual([])
})
