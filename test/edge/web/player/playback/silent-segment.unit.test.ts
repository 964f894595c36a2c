import { expect, test } from 'vitest'
import {
	makeSilentSegment,
	readStartSec,
} from '../../../../../edge/web/player/playback/holes/silent-segment.ts'
import { ascii, makeInit } from './audio-init.ts'

test.each([1, 2])('a silent segment with %d channels has the requested start and duration', (channels) => {
	const init = makeInit(2, channels)
	const segment = makeSilentSegment(init, 90_000, 4) ?? new Uint8Array()
	expect(readStartSec(init, segment)).toBeCloseTo(90_000, 1)
	const view = new DataView(segment.buffer)
	const moofLength = view.getUint32(0)
	expect([moofLength + view.getUint32(moofLength), Buffer.from(segment).includes('mdat')]).toEqual([
		segment.length,
		true,
	])
	const frames = Math.ceil((4 * 48_000) / 1_024)
	expect((segment.length - moofLength - 8) % frames).toBe(0)
	expect(view.getUint32(Buffer.from(segment).indexOf('tfhd') + 8)).toBe(7)
})

test.each([
	['another kind of AAC', makeInit(5, 2)],
	['more channels than two', makeInit(2, 6)],
	['no audio', Uint8Array.from(ascii('mdhd'))],
])('there is no silent segment for %s', (_, init) => {
	expect(makeSilentSegment(init, 0, 4)).toBeNull()
})
