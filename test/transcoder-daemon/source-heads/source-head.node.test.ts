/** @module-tag ffmpeg */

import { readFile } from 'node:fs/promises'
import { afterAll, expect, test } from 'vitest'
import type { SourceHead } from '../../../transcoder-daemon/source-heads/head-findings.ts'
import { readSourceHead } from '../../../transcoder-daemon/source-heads/source-head.ts'
import { randomFrom } from '../../support/shared/random.ts'
import { temporaryFolder } from '../ffmpeg/programs.ts'
import { box } from '../tasks/hostile-files.ts'
import { declareEncrypted, scramble } from '../tasks/inspection/protected-files.ts'
import { makeVideo } from '../tasks/make-video.ts'

const folder = await temporaryFolder()
afterAll(() => folder[Symbol.asyncDispose]())

/** More reads than the sample positions of a transport stream, and than the boxes of a real header need. */
const MAX_READS = 40

async function readHead(bytes: Buffer): Promise<SourceHead & { reads: number; bytes: number }> {
	const work = { reads: 0, bytes: 0 }
	const head = await readSourceHead(async (position, length) => {
		const part = bytes.subarray(position, position + length)
		work.reads++
		work.bytes += part.length
		return part
	}, bytes.length)
	return { ...head, ...work }
}

async function makeEncrypted(): Promise<Buffer> {
	const fast = { args: ['-movflags', 'frag_keyframe+empty_moov'], size: '160x90', seconds: 1 }
	const clear = await readFile(await makeVideo(folder.path, { name: 'fragments.mp4', ...fast }))
	return declareEncrypted(declareEncrypted(clear, 'vide', 'cbcs'), 'soun', 'cbcs')
}

test('readSourceHead names the scheme or nothing for an encrypted header truncated at any byte', async () => {
	const bytes = await makeEncrypted()
	const end = bytes.indexOf('moof')
	expect((await readHead(bytes)).encryption).toBe('cbcs')
	for (let length = 0; length <= end; length++) {
		const { encryption, hasInvalidClock, reads } = await readHead(bytes.subarray(0, length))
		expect(['cbcs', '', null], `${length} bytes`).toContain(encryption)
		expect(hasInvalidClock, `${length} bytes`).toBe(false)
		expect(reads, `${length} bytes`).toBeLessThan(MAX_READS)
	}
})

test('readSourceHead ends for any changed byte of an encrypted header, in few reads', async () => {
	const bytes = await makeEncrypted()
	const end = bytes.indexOf('moof')
	const random = randomFrom(41)
	for (let at = 0; at < end; at++) {
		const changed = Buffer.from(bytes)
		changed.writeUInt8(Math.floor(random() * 256), at)
		const { encryption, reads } = await readHead(changed)
		expect(encryption ?? '', `byte ${at}`).toMatch(/^([A-Za-z0-9]{4}|FairPlay|Audible)?$/)
		expect(reads, `byte ${at}`).toBeLessThan(MAX_READS)
	}
})

test('readSourceHead ends for a truncated or changed WebM, WMV, FLV and transport stream, in few reads', async () => {
	const random = randomFrom(42)
	for (const [name, args] of [
		['head.webm', ['-c:v', 'libvpx', '-deadline', 'realtime', '-c:a', 'libopus']],
		['head.wmv', ['-c:v', 'wmv2']],
		['head.flv', ['-ar', '44100']],
		['head.ts', []],
		['head.vob', ['-c:v', 'mpeg2video', '-r', '25']],
	] as const) {
		const bytes = await readFile(await makeVideo(folder.path, { name, args, size: '160x90', seconds: 1 }))
		for (let at = 0; at < 1_500; at++) {
			const changed = Buffer.from(bytes.subarray(0, at % 2 === 0 ? bytes.length : at))
			if (at < changed.length) changed.writeUInt8(Math.floor(random() * 256), at)
			const { reads } = await readHead(changed)
			expect(reads, `${name}, byte ${at}`).toBeLessThan(MAX_READS)
		}
	}
})

test('readSourceHead reads a bounded number of boxes of a header that consists of tiny ones', async () => {
	const ftyp = box('ftyp', Buffer.from('isom\0\0\0\0isom'))
	const tiny = Buffer.alloc(8 * 500_000, box('trak'))
	const { reads, bytes } = await readHead(Buffer.concat([ftyp, box('moov', tiny)]))
	// 20,000 boxes of 8 bytes lie in three windows.
	expect(reads).toBeLessThan(8)
	expect(bytes).toBeLessThan(1_000_000)
})

test('readSourceHead reads two megabytes at most of a long transport stream', async () => {
	const path = await makeVideo(folder.path, { name: 'long.ts', size: '160x90', seconds: 1 })
	const stream = await readFile(path)
	const long = Buffer.alloc(stream.length * Math.ceil(20_000_000 / stream.length), scramble(stream, [0x100]))
	const { scrambling, bytes } = await readHead(long)
	expect(scrambling.get('0x100')).toBe(1)
	expect(scrambling.get('0x101')).toBe(0)
	expect(bytes).toBeLessThan(2_000_000)
})
