import { findFirstSample } from '../../../support/shared/made-presentation.ts'
import type { Served } from './served.ts'

/** Init segments of invalid streams; filled by the test. */
export const invalidInits = { interlaced: Buffer.alloc(0), twoSounds: Buffer.alloc(0), both: Buffer.alloc(0) }

export const master = 'master.m3u8'
export const large = 'h264-360p.m3u8'
export const small = 'h264-240p.m3u8'
export const iframes = 'h264-360p-iframes.m3u8'
export const sound = 'a0.m3u8'

/** Overwrites in place, so that no offset changes. */
function overwrite(bytes: Buffer, what: string, by: string | number[], shift = 0): undefined {
	const at = bytes.indexOf(what)
	if (at < 0) throw new Error(`no ${what}`)
	Buffer.from(by as string).copy(bytes, at + shift)
}

const setProfile = (bytes: Buffer, profile: number, level: number) => {
	overwrite(bytes, 'avcC', [profile], 5)
	return overwrite(bytes, 'avcC', [level], 7)
}

/** Enlarges a segment by a box that players skip. */
function padSegment(bytes: Buffer, by: number): Buffer {
	const box = Buffer.alloc(by)
	box.writeUInt32BE(by)
	box.write('free', 4)
	return Buffer.concat([bytes, box])
}

/** Shifts the decode time in a `tfdt` box of version 1. */
function shiftTime(bytes: Buffer, ticks: bigint): undefined {
	const at = bytes.indexOf('tfdt') + 8
	bytes.writeBigUInt64BE(bytes.readBigUInt64BE(at) + ticks, at)
}

const codecs = (to: string) => (served: Served) =>
	served.edit(master, (text) => text.replaceAll(/avc1\.\w+/g, to))
const inMaster = (from: string | RegExp, to: string) => (served: Served) =>
	served.edit(master, (text) => text.replace(from, to))
const inLarge = (from: string | RegExp, to: string) => (served: Served) =>
	served.edit(large, (text) => text.replace(from, to))
const useInit = (name: keyof typeof invalidInits, list: string) => (served: Served) => {
	served.files.set('odd/init.mp4', invalidInits[name])
	served.edit(list, (text) => text.replace(/#EXT-X-MAP:.*/, '#EXT-X-MAP:URI="odd/init.mp4"'))
}

export type BrokenPlaylist = [section: string, fault: string, inject: (served: Served) => unknown]

export const brokenPlaylists: readonly BrokenPlaylist[] = [
	['RFC 8216', 'a missing first line', inLarge('#EXTM3U\n', '')],
	['RFC 8216', 'a duration without its comma', inLarge(/(#EXTINF:[\d.]+),/, '$1')],
	['RFC 8216', 'an unknown group', inMaster('AUDIO="audio"', 'AUDIO="sound"')],
	[
		'RFC 8216 reach',
		'a missing segment',
		(served) => served.files.delete(served.names(/360p\/2\.m4s/)[0] ?? ''),
	],
	['RFC 8216 4.3.3.1', 'a target duration that is too small', inLarge('DURATION:4', 'DURATION:3')],
	[
		'ISO 14496-12',
		'a fragment of another track',
		(served) => served.patch(/360p\/2\.m4s/, (bytes) => overwrite(bytes, 'tfhd', [0, 0, 0, 9], 8)),
	],
	[
		'ISO 14496-12',
		'a truncated segment',
		(served) => served.patch(/360p\/2\.m4s/, (bytes) => bytes.subarray(0, bytes.length - 1) as Buffer),
	],
	[
		'RFC 8216 reach',
		'a segment that is truncated in its first box',
		(served) =>
			served.patch(/360p\/2\.m4s/, (bytes) => bytes.subarray(0, bytes.indexOf('trun') + 10) as Buffer),
	],
	['1.2', 'CODECS with another codec', codecs('vp09.00.10.08')],
	[
		'1.2',
		'video in another codec',
		(served) =>
			served.patch(/360p\/init/, (bytes) => overwrite(overwritten(bytes, 'avc1', 'mp4v'), 'avcC', 'free')),
	],
	[
		'1.5',
		'segments of an unknown format',
		(served) => served.patch(/360p\/3\.m4s/, (bytes) => bytes.fill(1, 0, 200) as Buffer),
	],
	[
		'1.5',
		'HEVC in MPEG-TS',
		(served) => {
			codecs('hvc1.1.6.L93.B0')(served)
			for (const name of served.names(/360p\/\d\.m4s/)) served.files.set(name, Buffer.alloc(376, 0x47))
		},
	],
	['1.3', 'High 10 in CODECS', codecs('avc1.6e0028')],
	[
		'1.3',
		'High 4:2:2 in the init segment',
		(served) => served.patch(/360p\/init/, (bytes) => setProfile(bytes, 122, 40)),
	],
	[
		'1.3a',
		'nothing below level 5.1',
		(served) => {
			codecs('avc1.640033')(served)
			served.patch(/h264.*init/, (bytes) => setProfile(bytes, 100, 51))
		},
	],
	['1.6', 'HEVC of level 6.2', codecs('hvc1.2.4.L186.B0')],
	['1.6a', 'HEVC that is all Main 10', codecs('hvc1.2.4.L93.B0')],
	['1.4', 'Main profile', codecs('avc1.4d401e')],
	[
		'1.11',
		'a level that is too high',
		(served) => served.patch(/360p\/init/, (bytes) => setProfile(bytes, 100, 52)),
	],
	['1.10', 'avc3', codecs('avc3.64001e')],
	[
		'1.12',
		'no H.264 at all',
		(served) => {
			codecs('hvc1.1.6.L93.B0')(served)
			served.patch(/h264.*init/, (bytes) => overwrite(bytes, 'avc1', 'hvc1'))
		},
	],
	[
		'1.24',
		'HDR only',
		(served) => served.edit(master, (text) => text.replaceAll('FRAME-RATE', 'VIDEO-RANGE=PQ,FRAME-RATE')),
	],
	['1.13', 'four seconds without a key frame', () => {}],
	[
		'7.4',
		'a first frame that is not IDR, despite its flags',
		(served) =>
			served.patch(/360p\/2\.m4s/, (bytes) => {
				let { start: at } = findFirstSample(bytes)
				// Keep units before the slice: the first one of a chunk names its encoder.
				while (bytes[at + 4] !== 0x65) at += 4 + bytes.readUInt32BE(at)
				bytes[at + 4] = 0x41
				return undefined
			}),
	],
	[
		'7.4',
		'a first frame whose flags deny a key frame',
		(served) =>
			served.patch(/360p\/2\.m4s/, (bytes) => {
				const at = bytes.indexOf('trun') + 4
				if (!(bytes.readUInt32BE(at) & 4)) throw new Error('no flags of the first sample')
				bytes.writeUInt32BE(0x01010000, at + 12)
			}),
	],
	['1.14', 'interlaced', useInit('interlaced', large)],
	['1.19', 'FRAME-RATE=120', (served) => served.edit(master, (text) => text.replaceAll('29.970', '120.000'))],
	[
		'1.21',
		'a color space that changes',
		(served) => {
			const name = served.names(/360p\/init/)[0] ?? ''
			const other = Buffer.from(served.files.get(name) ?? [])
			overwrite(other, 'nclx', [0, 9], 4)
			served.files.set('odd/init.mp4', other)
			served.edit(large, (text) => text.replace(/(?<=2\.m4s\n)/, '#EXT-X-MAP:URI="odd/init.mp4"\n'))
		},
	],
	['1.26', 'an average that is too high', inMaster(/AVERAGE-BANDWIDTH=/, 'AVERAGE-BANDWIDTH=2')],
	['1.26', 'an average of I-frames that is too low', inMaster(/(I-FRAME.*AVERAGE-BANDWIDTH=)\d+/, '$19')],
	['1.27', 'a peak without the audio', inMaster(/:BANDWIDTH=\d+/, ':BANDWIDTH=300000')],
	[
		'1.30',
		'one heavy segment',
		(served) => served.patch(/360p\/2\.m4s/, (bytes) => padSegment(bytes, 4_000_000)),
	],
	[
		'1.32',
		'the smallest variant first',
		(served) => {
			served.patch(/360p\/\d\.m4s/, (bytes) => padSegment(bytes, 500_000))
			served.edit(master, (text) =>
				text.replace(large, 'x').replace(small, large).replace('\nx', `\n${small}`),
			)
		},
	],
	['1.33', 'another aspect ratio', inMaster('426x240', '320x240')],
	[
		'2.3',
		'only one channel',
		(served) => served.patch(/a0\/init/, (bytes) => overwrite(bytes, 'mp4a', [0, 1], 20)),
	],
	[
		'2.3',
		'only AC-3',
		(served) => {
			inMaster(/mp4a\.40\.2/g, 'ac-3')(served)
			served.patch(/a0\/init/, (bytes) => overwrite(bytes, 'mp4a', 'ac-3'))
		},
	],
	[
		'2.4',
		'HE-AAC of 128 kb/s',
		(served) =>
			served.patch(/a0\/init/, (bytes) => {
				const at = bytes.indexOf(Buffer.from([0x11, 0x90]))
				bytes[at] = 0x29
			}),
	],
	[
		'2.9',
		'stereo AAC of 300 kb/s',
		(served) => served.patch(/a0\/\d\.m4s/, (bytes) => padSegment(bytes, 100_000)),
	],
	['2.17', 'two audio tracks in one stream', useInit('twoSounds', sound)],
	['9.5', 'video and audio in one stream', useInit('both', large)],
	['4.7', 'no LANGUAGE', inMaster(/LANGUAGE="en",/, '')],
	[
		'6.1',
		'no I-frame playlist',
		(served) => served.edit(master, (text) => text.replaceAll(/#EXT-X-I-FRAME-STREAM-INF.*\n/g, '')),
	],
	[
		'6.1a',
		'I-frame playlists of another codec only',
		(served) => served.edit(master, (text) => text.replaceAll(/(I-FRAME.*CODECS=")avc1/g, '$1hvc1')),
	],
	['6.2', 'an I-frame every four seconds', () => {}],
	[
		'6.8',
		'an I-frame playlist without EXT-X-I-FRAMES-ONLY',
		(served) => served.edit(iframes, (text) => text.replace('#EXT-X-I-FRAMES-ONLY\n', '')),
	],
	[
		'6.8',
		'a media playlist with EXT-X-I-FRAMES-ONLY',
		inLarge('#EXT-X-MAP', '#EXT-X-I-FRAMES-ONLY\n#EXT-X-MAP'),
	],
	[
		'6.10',
		'a byte range that begins after the moof',
		(served) => served.edit(iframes, (text) => text.replace('@0', '@100')),
	],
	[
		'6.10',
		'a range that ends before the frame does',
		(served) => served.edit(iframes, (text) => text.replace(/BYTERANGE:\d+/, 'BYTERANGE:4000')),
	],
	[
		'7.3',
		'a gap of a tenth of a second',
		(served) => served.patch(/360p\/3\.m4s/, (bytes) => shiftTime(bytes, 9_000n)),
	],
	[
		'7.3',
		'an audio overlap of one frame',
		(served) => served.patch(/a0\/3\.m4s/, (bytes) => shiftTime(bytes, -1_024n)),
	],
	['7.5', 'a target duration of four seconds', () => {}],
	[
		'7.7',
		'a segment that is too long',
		(served) => {
			for (const name of [large, small, sound])
				served.edit(name, (text) => text.replace('DURATION:4', 'DURATION:3'))
		},
	],
	[
		'8.1',
		'rounded durations',
		(served) => served.edit(large, (text) => text.replaceAll('4.004000', '4.015')),
	],
	[
		'8.2',
		'a different target duration for audio',
		(served) => served.edit(sound, (text) => text.replace('DURATION:4', 'DURATION:5')),
	],
	[
		'8.3',
		'audio that ends early',
		(served) =>
			served.edit(sound, (text) =>
				text.replace(/#EXTINF.*\n.*\n#EXTINF.*\n.*\n#EXT-X-ENDLIST/, '#EXT-X-ENDLIST'),
			),
	],
	[
		'8.7',
		'audio that begins a tenth of a second late',
		(served) => served.patch(/a0\/\d\.m4s/, (bytes) => shiftTime(bytes, 4_800n)),
	],
	[
		'8.22',
		'a rung with a missing segment',
		(served) => served.edit(small, (text) => text.replace(/#EXTINF.*\n.*\n#EXT-X-ENDLIST/, '#EXT-X-ENDLIST')),
	],
	[
		'8.22',
		'a segment that begins two frames late',
		(served) => served.patch(/240p\/3\.m4s/, (bytes) => shiftTime(bytes, 6_006n)),
	],
	['8.6', 'no EXT-X-ENDLIST', inLarge('#EXT-X-ENDLIST\n', '')],
	['8.6', 'the type EVENT', inLarge('TYPE:VOD', 'TYPE:EVENT')],
	['8.20', 'no EXT-X-MAP', inLarge(/#EXT-X-MAP.*\n/, '')],
	['9.1', 'no CODECS', inMaster(/CODECS="[^"]*",/, '')],
	['9.2', 'a wrong level', inMaster(/avc1\.64\w+/, 'avc1.640034')],
	['9.2', 'CODECS without the audio', inMaster(/,mp4a\.40\.2/, '')],
	['9.3', 'no RESOLUTION', inMaster(/RESOLUTION=\w+,/, '')],
	['9.3', 'a wrong RESOLUTION', inMaster('640x360', '1280x720')],
	['9.14', 'no AVERAGE-BANDWIDTH', inMaster(/AVERAGE-BANDWIDTH=\d+,/, '')],
	['9.15', 'no FRAME-RATE', inMaster(/FRAME-RATE=[\d.]+,/, '')],
	['9.15', 'a rounded FRAME-RATE', inMaster('29.970', '30')],
	['9.16', 'VIDEO-RANGE on one variant only', inMaster('FRAME-RATE', 'VIDEO-RANGE=HLG,FRAME-RATE')],
	[
		'9.9',
		'one bit rate for HD',
		(served) => {
			served.edit(master, (text) => text.replace(/#EXT-X-STREAM-INF.*\nh264-240p.m3u8\n/, ''))
			inMaster('640x360', '1280x720')(served)
		},
	],
	['9.10', 'one bit rate at the top of HD', inMaster('640x360', '1280x720')],
	['9.11', 'no EXT-X-INDEPENDENT-SEGMENTS', inMaster('#EXT-X-INDEPENDENT-SEGMENTS\n', '')],
	[
		'8.18',
		'a segment that is redirected',
		(served) => {
			const name = served.names(/360p\/3\.m4s/)[0] ?? ''
			served.files.set('elsewhere.m4s', served.files.get(name) ?? new Uint8Array())
			served.redirects.set(name, '/v/elsewhere.m4s')
		},
	],
	['10.1', 'an uncompressed playlist', (served) => served.headers.set(large, { 'content-encoding': null })],
	[
		'10.4',
		'a segment with a generic media type',
		(served) =>
			served.headers.set(served.names(/360p\/3\.m4s/)[0] ?? '', {
				'content-type': 'application/octet-stream',
			}),
	],
	[
		'10.4',
		'a playlist without a media type',
		(served) => served.headers.set(large, { 'content-type': null }),
	],
	[
		'11',
		'plain HTTP',
		(served) => {
			served.base = 'http://media.example/v/'
		},
	],
]

function overwritten(bytes: Buffer, what: string, by: string): Buffer {
	overwrite(bytes, what, by)
	return bytes
}
