/** @module-tag ffmpeg */

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runInspect } from '../../../../transcoder-daemon/tasks/inspect.ts'
import { temporaryFolder } from '../../ffmpeg/programs.ts'
import { box } from '../hostile-files.ts'
import { ffmpeg, makeVideo } from '../make-video.ts'
import { taskContext } from '../task-context.ts'
import { openTrial } from '../try-hostile.ts'
import { editEntries, renameEntries } from './protected-files.ts'

const folder = await temporaryFolder()
let clear: Buffer
beforeAll(async () => {
	clear = await readFile(await makeVideo(folder.path, { name: 'clear.mp4', seconds: 1, size: '160x90' }))
})
afterAll(() => folder[Symbol.asyncDispose]())

const tryBytes = openTrial(folder.path)

/** A sound without the description by which ffmpeg would recognize AAC. */
const renameSound = (bytes: Buffer, type: string): Buffer =>
	editEntries(bytes, 'soun', ({ body }) => box(type, body.subarray(0, 28), box('free', Buffer.alloc(32))))

const undecodable = (kind: 'video' | 'audio', name: string, copy: string) => ({
	kind: 'rejected',
	message: `the ${kind} of this file is ${name}, which this installation can't decode; upload a copy ${copy}`,
})

test.each([
	['iamf', 'IAMF'],
	['ac-4', 'AC-4'],
	['mha1', 'MPEG-H 3D Audio'],
	['mhm1', 'MPEG-H 3D Audio'],
	['apac', 'Apple Positional Audio'],
	['zz9z', 'zz9z'],
	['<b>!', 'in an unknown format'],
])('the error names the audio format %s, and no silent video is published', async (type, name) => {
	expect(await tryBytes(renameSound(clear, type))).toMatchObject(undecodable('audio', name, 'with AAC sound'))
})

test.each([
	['vvc1', 'VVC (H.266)'],
	['apv1', 'APV'],
	['aprn', 'ProRes RAW'],
	['zz9z', 'zz9z'],
])('the error names the video format %s that can’t be decoded', async (type, name) => {
	expect(await tryBytes(renameEntries(clear, 'vide', type))).toMatchObject(
		undecodable('video', name, 'in H.264'),
	)
})

test('the error names xHE-AAC, and does not call the file damaged', async () => {
	const bytes = Buffer.from(clear)
	// Behind the tag of the decoder's own description: an audio object type of 42 in place of 2.
	const config = bytes.indexOf('0580808005', bytes.indexOf('esds'), 'hex') + 5
	bytes.writeUInt16BE(0xf946, config)
	expect(await tryBytes(bytes)).toMatchObject(undecodable('audio', 'xHE-AAC', 'with AAC sound'))
})

test('the error names an unknown codec of a Matroska track', async () => {
	const path = await makeVideo(folder.path, {
		name: 'clear.webm',
		args: ['-c:v', 'libvpx', '-deadline', 'realtime', '-c:a', 'libopus'],
	})
	const webm = (await readFile(path)).toString('latin1')
	for (const [from, to, kind, copy] of [
		['A_OPUS', 'A_NEWS', 'audio', 'with AAC sound'],
		['V_VP8', 'V_VPX', 'video', 'in H.264'],
	] as const) {
		const bytes = Buffer.from(webm.replace(from, to), 'latin1')
		expect(await tryBytes(bytes, 'webm')).toMatchObject(undecodable(kind, to, copy))
	}
})

test('the decodable audio track of a file is kept, and the one left out is noted', async () => {
	const two = join(folder.path, 'two.mp4')
	const clearPath = join(folder.path, 'clear.mp4')
	await ffmpeg('-i', clearPath, '-map', '0:v', '-map', '0:a', '-map', '0:a', '-c', 'copy', two)
	let sounds = 0
	const mixed = editEntries(await readFile(two), 'soun', ({ type, body }) =>
		sounds++ === 0 ? box('iamf', body.subarray(0, 28)) : box(type, body),
	)
	const path = join(folder.path, 'mixed.mp4')
	await writeFile(path, mixed)
	const result = await runInspect({ kind: 'inspect', maxDurationSec: 60 }, taskContext(path, folder.path))
	expect(result.info.audio).toMatchObject([{ codec: 'aac', streamIndex: 2 }])
	expect(result.notes).toEqual(['left out audio in IAMF: no decoder'])
})
