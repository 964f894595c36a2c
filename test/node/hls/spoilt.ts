import { firstSampleOf } from '../transcoding/made-presentation.ts'
import type { Served } from './served.ts'

/** Headers of streams that nobody should publish. */
export const oddInits = { interlaced: Buffer.alloc(0), twoSounds: Buffer.alloc(0), both: Buffer.alloc(0) }

export const master = 'master.m3u8'
export const large = 'h264-360p.m3u8'
export const small = 'h264-240p.m3u8'
export const iframes = 'h264-360p-iframes.m3u8'
export const sound = 'a0.m3u8'

/** In place, so that no offset moves. */
function overwrite(bytes: Buffer, what: string, by: string | number[], shift = 0): undefined {
	const at = bytes.indexOf(what)
	if (at < 0) throw new Error(`no ${what}`)
	Buffer.from(by as string).copy(bytes, at + shift)
}

const setProfile = (bytes: Buffer, profile: number, level: number) => {
	overwrite(bytes, 'avcC', [profile], 5)
	return overwrite(bytes, 'avcC', [level], 7)
}

/** A box that players skip makes a segment heavier. */
function weighDown(bytes: Buffer, by: number): Buffer {
	const box = Buffer.alloc(by)
	box.writeUInt32BE(by)
	box.write('free', 4)
	return Buffer.concat([bytes, box])
}

/** `tfdt`, version 1. */
function shiftTime(bytes: Buffer, ticks: bigint): undefined {
	const at = bytes.indexOf('tfdt') + 8
	bytes.writeBigUInt64BE(bytes.readBigUInt64BE(at) + ticks, at)
}

export const subtitles = (
	served: Served,
	attributes = '',
	header = 'X-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:90000',
	length = 30,
) => {
	const media = `#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="English",LANGUAGE="en",URI="s.m3u8"${attributes}`
	served.edit(master, (text) => text.replace('#EXT-X-STREAM-INF', `${media}\n#EXT-X-STREAM-INF`))
	served.edit(master, (text) => text.replaceAll('AUDIO="audio"', 'AUDIO="audio",SUBTITLES="s"'))
	const list = ['#EXTM3U', '#EXT-X-VERSION:7', `#EXT-X-TARGETDURATION:${length}`, '#EXT-X-PLAYLIST-TYPE:VOD']
	const all = [...list, `#EXTINF:${length},`, 's.vtt', '#EXT-X-ENDLIST', '']
	served.files.set('s.m3u8', Buffer.from(all.join('\n')))
	served.files.set('s.vtt', Buffer.from(`WEBVTT\n${header}\n\n00:01.000 --> 00:02.000\nHello\n`))
}
const sdh = 'public.accessibility.transcribes-spoken-dialog'

const codecs = (to: string) => (served: Served) =>
	served.edit(master, (text) => text.replaceAll(/avc1\.\w+/g, to))
const inMaster = (from: string | RegExp, to: string) => (served: Served) =>
	served.edit(master, (text) => text.replace(from, to))
const inLarge = (from: string | RegExp, to: string) => (served: Served) =>
	served.edit(large, (text) => text.replace(from, to))
const usesInit = (name: keyof typeof oddInits, list: string) => (served: Served) => {
	served.files.set('odd/init.mp4', oddInits[name])
	served.edit(list, (text) => text.replace(/#EXT-X-MAP:.*/, '#EXT-X-MAP:URI="odd/init.mp4"'))
}

type Spoilt = [section: string, what: string, spoil: (served: Served) => unknown]

export const spoilt: readonly Spoilt[] = [
	['RFC 8216', 'the first line is missing', inLarge('#EXTM3U\n', '')],
	['RFC 8216', 'a duration without its comma', inLarge(/(#EXTINF:[\d.]+),/, '$1')],
	['RFC 8216', 'a group that is not there', inMaster('AUDIO="audio"', 'AUDIO="sound"')],
	[
		'RFC 8216 reach',
		'a segment is not there',
		(served) => served.files.delete(served.names(/360p\/2\.m4s/)[0] ?? ''),
	],
	['RFC 8216 4.3.3.1', 'the target duration is too small', inLarge('DURATION:4', 'DURATION:3')],
	[
		'ISO 14496-12',
		'a fragment of another track',
		(served) => served.patch(/360p\/2\.m4s/, (bytes) => overwrite(bytes, 'tfhd', [0, 0, 0, 9], 8)),
	],
	[
		'ISO 14496-12',
		'a segment that is cut off',
		(served) => served.patch(/360p\/2\.m4s/, (bytes) => bytes.subarray(0, bytes.length - 1) as Buffer),
	],
	[
		'RFC 8216 reach',
		'a segment that is cut off in its first box',
		(served) =>
			served.patch(/360p\/2\.m4s/, (bytes) => bytes.subarray(0, bytes.indexOf('trun') + 10) as Buffer),
	],
	['1.2', 'CODECS that are no such codec', codecs('vp09.00.10.08')],
	[
		'1.2',
		'pictures that are no such codec',
		(served) =>
			served.patch(/360p\/init/, (bytes) => overwrite(overwritten(bytes, 'avc1', 'mp4v'), 'avcC', 'free')),
	],
	[
		'1.5',
		'segments of no known format',
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
		'High 4:2:2 in the header',
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
		'a level far above need',
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
	['1.13', 'four seconds without a keyframe', () => {}],
	[
		'7.4',
		'a first frame that is no IDR, whatever its flags say',
		(served) =>
			served.patch(/360p\/2\.m4s/, (bytes) => {
				let { start: at } = firstSampleOf(bytes)
				// Whatever units come before the slice stay: the first of a chunk tells of its encoder.
				while (bytes[at + 4] !== 0x65) at += 4 + bytes.readUInt32BE(at)
				bytes[at + 4] = 0x41
				return undefined
			}),
	],
	[
		'7.4',
		'a first frame whose flags say it is no key',
		(served) =>
			served.patch(/360p\/2\.m4s/, (bytes) => {
				const at = bytes.indexOf('trun') + 4
				if (!(bytes.readUInt32BE(at) & 4)) throw new Error('no flags of the first sample')
				bytes.writeUInt32BE(0x01010000, at + 12)
			}),
	],
	['1.14', 'interlaced', usesInit('interlaced', large)],
	['1.19', 'FRAME-RATE=120', (served) => served.edit(master, (text) => text.replaceAll('29.970', '120.000'))],
	[
		'1.21',
		'another colour space half way',
		(served) => {
			const name = served.names(/360p\/init/)[0] ?? ''
			const other = Buffer.from(served.files.get(name) ?? [])
			overwrite(other, 'nclx', [0, 9], 4)
			served.files.set('odd/init.mp4', other)
			served.edit(large, (text) => text.replace(/(?<=2\.m4s\n)/, '#EXT-X-MAP:URI="odd/init.mp4"\n'))
		},
	],
	['1.26', 'an average twice as high', inMaster(/AVERAGE-BANDWIDTH=/, 'AVERAGE-BANDWIDTH=2')],
	['1.26', 'an average of I-frames far too low', inMaster(/(I-FRAME.*AVERAGE-BANDWIDTH=)\d+/, '$19')],
	['1.27', 'a peak without the sound', inMaster(/:BANDWIDTH=\d+/, ':BANDWIDTH=300000')],
	[
		'1.30',
		'one heavy segment',
		(served) => served.patch(/360p\/2\.m4s/, (bytes) => weighDown(bytes, 4_000_000)),
	],
	[
		'1.32',
		'the least comes first',
		(served) => {
			served.patch(/360p\/\d\.m4s/, (bytes) => weighDown(bytes, 500_000))
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
		'stereo of 300 kb/s',
		(served) => served.patch(/a0\/\d\.m4s/, (bytes) => weighDown(bytes, 100_000)),
	],
	['2.17', 'two sounds in one stream', usesInit('twoSounds', sound)],
	['9.5', 'picture and sound in one stream', usesInit('both', large)],
	['4.7', 'no LANGUAGE', inMaster(/LANGUAGE="en",/, '')],
	[
		'4.6',
		'half of what SDH needs',
		(served) => subtitles(served, `,AUTOSELECT=YES,CHARACTERISTICS="${sdh}"`),
	],
	[
		'4.6',
		'SDH that is not chosen by itself',
		(served) => subtitles(served, `,CHARACTERISTICS="${sdh},public.accessibility.describes-music-and-sound"`),
	],
	['5.3', 'a segment without X-TIMESTAMP-MAP', (served) => subtitles(served, '', 'NOTE')],
	['5.5', 'subtitles of half of it', (served) => subtitles(served, '', undefined, 15)],
	[
		'6.1',
		'no I-frame playlist',
		(served) => served.edit(master, (text) => text.replaceAll(/#EXT-X-I-FRAME-STREAM-INF.*\n/g, '')),
	],
	[
		'6.1a',
		'I-frames of another codec only',
		(served) => served.edit(master, (text) => text.replaceAll(/(I-FRAME.*CODECS=")avc1/g, '$1hvc1')),
	],
	['6.2', 'an I-frame each four seconds', () => {}],
	[
		'6.8',
		'an I-frame playlist like any other',
		(served) => served.edit(iframes, (text) => text.replace('#EXT-X-I-FRAMES-ONLY\n', '')),
	],
	['6.8', 'a playlist that says it is one', inLarge('#EXT-X-MAP', '#EXT-X-I-FRAMES-ONLY\n#EXT-X-MAP')],
	['6.10', 'a range behind the moof', (served) => served.edit(iframes, (text) => text.replace('@0', '@100'))],
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
		'an overlap of one frame in the sound',
		(served) => served.patch(/a0\/3\.m4s/, (bytes) => shiftTime(bytes, -1_024n)),
	],
	['7.5', 'a target of four seconds', () => {}],
	[
		'7.7',
		'a segment longer than it may be',
		(served) => {
			for (const name of [large, small, sound])
				served.edit(name, (text) => text.replace('DURATION:4', 'DURATION:3'))
		},
	],
	[
		'8.1',
		'durations that are rounded',
		(served) => served.edit(large, (text) => text.replaceAll('4.004000', '4.015')),
	],
	[
		'8.2',
		'another target for the sound',
		(served) => served.edit(sound, (text) => text.replace('DURATION:4', 'DURATION:5')),
	],
	[
		'8.3',
		'sound that ends early',
		(served) =>
			served.edit(sound, (text) =>
				text.replace(/#EXTINF.*\n.*\n#EXTINF.*\n.*\n#EXT-X-ENDLIST/, '#EXT-X-ENDLIST'),
			),
	],
	[
		'8.7',
		'sound that begins a tenth of a second late',
		(served) => served.patch(/a0\/\d\.m4s/, (bytes) => shiftTime(bytes, 4_800n)),
	],
	[
		'8.22',
		'a rung that lacks a segment',
		(served) => served.edit(small, (text) => text.replace(/#EXTINF.*\n.*\n#EXT-X-ENDLIST/, '#EXT-X-ENDLIST')),
	],
	[
		'8.22',
		'a border two frames later',
		(served) => served.patch(/240p\/3\.m4s/, (bytes) => shiftTime(bytes, 6_006n)),
	],
	['8.6', 'no end', inLarge('#EXT-X-ENDLIST\n', '')],
	['8.6', 'a type that grows', inLarge('TYPE:VOD', 'TYPE:EVENT')],
	['8.20', 'no header', inLarge(/#EXT-X-MAP.*\n/, '')],
	['9.1', 'no CODECS', inMaster(/CODECS="[^"]*",/, '')],
	['9.2', 'a level that is not the stream’s', inMaster(/avc1\.64\w+/, 'avc1.640034')],
	['9.2', 'without the sound', inMaster(/,mp4a\.40\.2/, '')],
	['9.3', 'no RESOLUTION', inMaster(/RESOLUTION=\w+,/, '')],
	['9.3', 'a RESOLUTION that is not the stream’s', inMaster('640x360', '1280x720')],
	['9.14', 'no AVERAGE-BANDWIDTH', inMaster(/AVERAGE-BANDWIDTH=\d+,/, '')],
	['9.15', 'no FRAME-RATE', inMaster(/FRAME-RATE=[\d.]+,/, '')],
	['9.15', 'a rounded FRAME-RATE', inMaster('29.970', '30')],
	['9.16', 'VIDEO-RANGE on one only', inMaster('FRAME-RATE', 'VIDEO-RANGE=HLG,FRAME-RATE')],
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
		'a segment that is elsewhere',
		(served) => {
			const name = served.names(/360p\/3\.m4s/)[0] ?? ''
			served.files.set('elsewhere.m4s', served.files.get(name) ?? new Uint8Array())
			served.redirects.set(name, '/v/elsewhere.m4s')
		},
	],
	['10.1', 'a playlist in plain', (served) => served.headers.set(large, { 'content-encoding': null })],
	[
		'10.4',
		'a segment of any type',
		(served) =>
			served.headers.set(served.names(/360p\/3\.m4s/)[0] ?? '', {
				'content-type': 'application/octet-stream',
			}),
	],
	['10.4', 'a playlist without a type', (served) => served.headers.set(large, { 'content-type': null })],
	[
		'11',
		'in the open',
		(served) => {
			served.base = 'http://media.example/v/'
		},
	],
]

function overwritten(bytes: Buffer, what: string, by: string): Buffer {
	overwrite(bytes, what, by)
	return bytes
}
