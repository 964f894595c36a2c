import { expect, test } from 'vitest'
import {
	makeSilentSegment,
	readStartSec,
} from '../../../../../edge/web/player/playback/holes/silent-segment.ts'

const ascii = (text: string) => [...Buffer.from(text, 'ascii')]
const zeros = (count: number) => Array.from({ length: count }, () => 0)

/** The parts of an initialization segment that describe its audio track: number 7 with 48 kHz. */
const makeInit = (kind: number, channels: number) =>
	Uint8Array.from([
		...[...ascii('tkhd'), ...zeros(12), 0, 0, 0, 7],
		...[...ascii('mdhd'), ...zeros(12), 0, 0, 0xbb, 0x80],
		...[...ascii('mp4a'), ...zeros(16), 0, channels, ...zeros(10)],
		...[...ascii('esds'), ...zeros(4), 3, 0x80, 0x80, 0x80, 0x25, 0, 0, 0],
		...[4, 0x80, 0x80, 0x80, 0x17, 0x40, 0x15, ...zeros(11)],
		...[5, 0x80, 0x80, 0x80, 2, kind << 3, 0x88],
	])

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
