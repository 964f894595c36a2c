/** @module-tag ffmpeg */

import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../../ffmpeg/programs.ts'
import { makeVideo } from '../make-video.ts'
import { openTrial } from '../try-hostile.ts'
import { editBoxes } from './protected-files.ts'

const folder = await temporaryFolder()
let clear: Buffer
beforeAll(async () => {
	const frames = ['-c:v', 'libx264', '-bf', '2', '-c:a', 'aac']
	clear = await readFile(
		await makeVideo(folder.path, { name: 'clear.mp4', seconds: 2, size: '160x90', args: frames }),
	)
})
afterAll(() => folder[Symbol.asyncDispose]())

const tryBytes = openTrial(folder.path)

type Field = { kind?: 'vide' | 'soun'; path: readonly string[]; at: number }
const TIMESCALE = 12
const mvhd: Field = { path: ['mvhd'], at: TIMESCALE }
const mdhd = (kind: 'vide' | 'soun'): Field => ({ kind, path: ['mdia', 'mdhd'], at: TIMESCALE })
const stts = (kind: 'vide' | 'soun'): Field => ({ kind, path: ['mdia', 'minf', 'stbl', 'stts'], at: 12 })
const elst = (kind: 'vide' | 'soun', at: number): Field => ({ kind, path: ['edts', 'elst'], at })
const DURATION = 8
const MEDIA_TIME = 12

/** Returns the video with another number in a box of the movie or of one of its tracks. */
function withNumber({ kind, path, at }: Field, value: number, bytes = clear): Buffer {
	const write = (body: Buffer) => {
		const edited = Buffer.from(body)
		edited.writeUInt32BE(value, at)
		return edited
	}
	if (!kind) return editBoxes(bytes, ['moov', ...path], write)
	return editBoxes(bytes, ['moov', 'trak'], (trak) =>
		trak.includes(`\0\0\0\0${kind}`) ? editBoxes(trak, path, write) : trak,
	)
}

const exportAgain = (problem: string) => ({
	kind: 'rejected',
	message: `${problem}; export it again, then upload the new file`,
})

test.each([
	['the movie', mvhd, 0],
	['the movie', mvhd, 0xffffffff],
	['the video', mdhd('vide'), 0],
	['the video', mdhd('vide'), 0x80000000],
	['the audio', mdhd('soun'), 0],
])('no duration is invented for an invalid time scale of %s', async (_, field, value) => {
	expect(await tryBytes(withNumber(field, value))).toMatchObject(
		exportAgain('the time scale of this file is invalid'),
	)
})

test('a movie whose invalid time scale nothing depends on is played', async () => {
	const args = ['-use_editlist', '0', '-bf', '0']
	const path = await makeVideo(folder.path, { name: 'unedited.mp4', seconds: 1, sound: false, args })
	expect(await tryBytes(withNumber(mvhd, 0, await readFile(path)))).toMatchObject({
		kind: 'played',
		info: { video: { frameCount: 30 } },
	})
})

test.each([
	['no step at all', stts('soun'), 0],
	['a step of one tick', stts('soun'), 1],
	['a step back', stts('soun'), 0xffffffff],
	['a time scale of a billion', mdhd('soun'), 1_000_000_000],
])('the audio is not cut to a fraction of its samples because of %s', async (_, field, value) => {
	expect(await tryBytes(withNumber(field, value))).toMatchObject(
		exportAgain('the times of the audio in this file are damaged'),
	)
})

test('a video whose frames all have the same decode time is rejected', async () => {
	expect(await tryBytes(withNumber(stts('vide'), 0))).toMatchObject(
		exportAgain('the times of the video in this file are damaged'),
	)
})

test.each([
	['begins behind the media', MEDIA_TIME, 100_000_000],
	['is empty', DURATION, 0],
	['only delays', MEDIA_TIME, 0xffffffff],
])('no silent video is published when the edit list of the audio %s', async (_, at, value) => {
	expect(await tryBytes(withNumber(elst('soun', at), value))).toMatchObject(
		exportAgain('the edit list of this file leaves out all of its audio'),
	)
})

test('the error of an edit list that leaves no frame names the edit list', async () => {
	expect(await tryBytes(withNumber(elst('vide', MEDIA_TIME), 100_000_000))).toMatchObject(
		exportAgain('the edit list of this file leaves out all of its video'),
	)
})

test.each([
	['movie', { path: ['mvhd'], at: 16 }],
	['video', { kind: 'vide', path: ['mdia', 'mdhd'], at: 16 }],
	['audio', { kind: 'soun', path: ['mdia', 'mdhd'], at: 16 }],
	['track', { kind: 'vide', path: ['tkhd'], at: 20 }],
] as const)('the duration is counted for a file whose %s claims an unknown one', async (_, field) => {
	for (const value of [0, 0xffffffff])
		expect(await tryBytes(withNumber(field, value))).toMatchObject({
			kind: 'played',
			info: { durationSec: expect.closeTo(2, 1), video: { frameCount: 60 } },
		})
})
