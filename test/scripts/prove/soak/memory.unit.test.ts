import { describe, expect, test } from 'vitest'
import {
	addFiles,
	classifyProcess,
	computeGrowth,
	type Memory,
	type Sample,
} from '../../../../scripts/prove/soak/memory.ts'

const nothing: Memory = { npm: 0, server: 0, workerd: 0, daemon: 0, files: 0, programs: 0 }
const samplesOf = (sizes: readonly number[], programs = 0): Sample[] =>
	sizes.map((workerd, minute) => ({ minute, memory: { ...nothing, workerd, programs } }))

describe('the growth of the memory', () => {
	test('memory growth is that from the first quarter after the warm-up to the last one', () => {
		expect(computeGrowth(2, samplesOf([1, 1, 100, 100, 150, 150, 150, 150, 120, 120]))).toBe(1.2)
		expect(computeGrowth(0, samplesOf([100, 80, 80, 50]))).toBe(0.5)
	})

	test('memory growth does not follow from single samples', () => {
		expect(computeGrowth(0, samplesOf([100, 100, 100, 900, 100, 100, 100, 100, 100, 100, 900, 100]))).toBe(1)
	})

	test('memory growth leaves out the programs of the transcoder, and includes every other part', () => {
		const samples = [...samplesOf([100], 0), ...samplesOf([100], 700)]
		expect(computeGrowth(0, samples)).toBe(1)
		for (const part of ['npm', 'server', 'workerd', 'daemon', 'files'] as const) {
			const [first, last] = [
				{ ...nothing, workerd: 50, [part]: 100 },
				{ ...nothing, workerd: 50, [part]: 250 },
			]
			const growth = computeGrowth(0, [
				{ minute: 0, memory: first },
				{ minute: 1, memory: last },
			])
			expect([part, growth]).toEqual([part, part === 'workerd' ? 2.5 : 2])
		}
	})

	test('memory growth is NaN, which no limit allows, without samples after the warm-up', () => {
		expect(computeGrowth(5, samplesOf([100, 100]))).toBeNaN()
	})
})

test.each([
	['npm start\0\0\0', 'npm'],
	['node\0scripts/bootstrap.mjs\0start\0', 'npm'],
	['node\0--expose-gc\0/app/scripts/start/main.ts\0', 'server'],
	['/app/node_modules/@cloudflare/workerd-linux-64/bin/workerd\0serve\0', 'workerd'],
	['/usr/bin/node\0/app/transcoder-daemon/main.ts\0', 'daemon'],
	['/app/node_modules/ffmpeg-static/ffmpeg\0-i\0https://example.org/bin/workerd.mp4\0', 'programs'],
	['', 'programs'],
])('the process %j counts as %s in the memory of the soak test', (commandLine, part) => {
	expect(classifyProcess(commandLine)).toBe(part)
})

const mapping = (path: string, offset: string, rss: number, anonymous = 0) =>
	`7f0000000000-7f0000001000 r-xp ${offset} fe:00 260131                     ${path}
Size:               9999 kB
Rss:          ${rss} kB
Pss:                   1 kB
Anonymous:    ${anonymous} kB
`

test('pages of a file count once for all processes, except for those that a process has changed', () => {
	const files = new Map<string, number>()
	addFiles(
		mapping('/usr/bin/node', '00000000', 100, 30) +
			mapping('/usr/bin/node', '00002000', 40) +
			mapping('', '00000000', 5_000, 5_000) +
			mapping('[heap]', '00000000', 6_000, 100),
		files,
	)
	addFiles(mapping('/usr/bin/node', '00000000', 90) + mapping('/usr/bin/node', '00002000', 10), files)
	addFiles('', files)
	expect(Object.fromEntries(files)).toEqual({ '/usr/bin/node 00000000': 90, '/usr/bin/node 00002000': 40 })
})
