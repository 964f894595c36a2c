/** @module-tag ffmpeg */

import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { MediaInfo } from '#schema/contract/video/media-info.ts'
import { runInspect } from '../../../transcoder-daemon/tasks/inspect.ts'
import { temporaryFolder } from '../ffmpeg/programs.ts'
import { ffmpeg, makeVideo, type Recipe } from './make-video.ts'
import { taskContext } from './task-context.ts'

const folder = await temporaryFolder()
afterAll(() => folder[Symbol.asyncDispose]())

async function inspectFile(path: string, maxDurationSec = 3_600): Promise<MediaInfo> {
	const { info } = await runInspect({ kind: 'inspect', maxDurationSec }, taskContext(path, folder.path))
	return info
}

const x264 = (params: string) => ['-c:v', 'libx264', '-preset', 'veryfast', '-x264-params', params]
const closed = x264('keyint=30:min-keyint=30:scenecut=0:open-gop=0:bframes=2')
const rate = (num: number, den = 1) => ({ num, den })

type Expected = {
	container?: string
	durationSec?: number
	video?: Partial<NonNullable<MediaInfo['video']>> | null
	audio?: Partial<MediaInfo['audio'][number]>[]
}

const standard = { codec: 'h264', isConstantRate: true, isClosedGop: true, rotation: 0, startSec: 0 } as const
const thirds = { keyframes: [0, 30, 60], frameCount: 90 }

const corpus: [label: string, recipe: Recipe, expected: Expected][] = [
	[
		'30 fps with B-frames',
		{ name: 'plain.mp4', args: closed },
		{ video: { ...standard, ...thirds, frameRate: rate(30), durationSec: 3, longestGopSec: 1 } },
	],
	[
		'23.976 fps',
		{ name: 'film.mp4', rate: '24000/1001', args: closed },
		{ video: { ...standard, frameRate: rate(24_000, 1_001), frameCount: 72, keyframes: [0, 30, 60] } },
	],
	['25 fps', { name: 'pal.mp4', rate: '25' }, { video: { frameRate: rate(25), frameCount: 75 } }],
	[
		'29.97 fps in Matroska, which rounds to milliseconds',
		{ name: 'ntsc.mkv', rate: '30000/1001', args: closed },
		{ video: { ...standard, keyframes: [0, 30, 60], frameRate: rate(30_000, 1_001), frameCount: 90 } },
	],
	[
		'50 fps in MPEG-TS, starting at 1.4 s',
		{ name: 'ts.ts', rate: '50', args: closed },
		{
			container: 'mpegts',
			video: { frameRate: rate(50), frameCount: 150, startSec: 0.02, isClosedGop: true },
		},
	],
	[
		'59.94 fps',
		{ name: 'sport.mov', rate: '60000/1001' },
		{ video: { frameRate: rate(60_000, 1_001), frameCount: 180, isConstantRate: true } },
	],
	[
		'12.5 fps',
		{ name: 'slow.mp4', rate: '25/2', seconds: 4 },
		{ video: { frameRate: rate(25, 2), frameCount: 50 } },
	],
	[
		'a pause in the video',
		{ name: 'vfr.mp4', args: ['-vf', "select='not(between(n,20,50))'", '-vsync', 'vfr'] },
		{ video: { isConstantRate: false, frameRate: rate(30), keyframes: null, frameCount: 90 } },
	],
	[
		'two rates, one after the other',
		{ name: 'rates.mkv', args: ['-vf', "select='lt(n,30)+not(mod(n,2))'", '-vsync', 'vfr'] },
		{ video: { isConstantRate: false, frameRate: rate(30) } },
	],
	[
		'open groups of pictures',
		{ name: 'open.mp4', args: x264('keyint=30:min-keyint=30:scenecut=0:open-gop=1:bframes=3') },
		{ video: { isClosedGop: false, frameCount: 90, longestGopSec: 1 } },
	],
	[
		'recovery points without leading frames',
		{ name: 'recovery.ts', args: x264('keyint=30:intra-refresh=1:bframes=0') },
		{ video: { isClosedGop: false } },
	],
	[
		'a single group of pictures',
		{ name: 'long-gop.mp4', seconds: 8, args: x264('keyint=1000:scenecut=0') },
		{ video: { keyframes: [0], longestGopSec: 8, isClosedGop: true } },
	],
	[
		'key frames only: at most one boundary per second',
		{ name: 'intra.mp4', rate: '30000/1001', args: x264('keyint=1') },
		{ video: { isClosedGop: true, keyframes: [0, 30, 60] } },
	],
	[
		'portrait',
		{ name: 'portrait.mp4', size: '180x320' },
		{ video: { displayWidth: 180, displayHeight: 320, rotation: 0 } },
	],
	[
		'odd sizes',
		{ name: 'odd.mkv', args: ['-vf', 'scale=321:181,setsar=1', '-c:v', 'ffv1', '-pix_fmt', 'yuv444p'] },
		{ video: { displayWidth: 321, displayHeight: 181, codec: 'ffv1' } },
	],
	[
		'anamorphic',
		{ name: 'wide.mp4', size: '360x288', args: ['-vf', 'setsar=16/11'] },
		{ video: { codedWidth: 360, sampleAspect: rate(16, 11), displayWidth: 524, displayHeight: 288 } },
	],
	[
		'interlaced',
		{
			name: 'interlaced.mp4',
			rate: '25',
			args: ['-vf', 'setfield=tff', '-flags', '+ildct+ilme', ...x264('tff=1')],
		},
		{ video: { isInterlaced: true, frameRate: rate(25), frameCount: 75 } },
	],
	[
		'10 bits',
		{ name: 'deep.mp4', args: ['-pix_fmt', 'yuv420p10le'] },
		{ video: { bitDepth: 10, chroma: '4:2:0', isHdr: false } },
	],
	[
		'PQ',
		{
			name: 'hdr.mp4',
			args: ['-pix_fmt', 'yuv420p10le', ...x264('colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc')],
		},
		{
			video: {
				bitDepth: 10,
				isHdr: true,
				color: { range: 'tv', primaries: 'bt2020', transfer: 'smpte2084', space: 'bt2020nc' },
			},
		},
	],
	[
		'HLG',
		{ name: 'hlg.mp4', args: ['-pix_fmt', 'yuv420p10le', ...x264('transfer=arib-std-b67')] },
		{ video: { isHdr: true } },
	],
	[
		'4:2:2',
		{ name: 'chroma.mp4', args: ['-pix_fmt', 'yuv422p'] },
		{ video: { bitDepth: 8, chroma: '4:2:2' } },
	],
	['no sound', { name: 'silent.mp4', sound: false }, { video: { frameCount: 90 }, audio: [] }],
	[
		'audio only',
		{ name: 'voice.m4a', args: ['-vn'] },
		{ video: null, audio: [{ codec: 'aac', channels: 1, sampleRate: 48_000 }] },
	],
	['MP3', { name: 'song.mp3', args: ['-vn'] }, { container: 'mp3', video: null, audio: [{ codec: 'mp3' }] }],
	[
		'Ogg',
		{ name: 'song.ogg', args: ['-vn', '-c:a', 'libvorbis'] },
		{ container: 'ogg', video: null, audio: [{ codec: 'vorbis' }] },
	],
	['FLAC', { name: 'song.flac', args: ['-vn'] }, { container: 'flac', durationSec: 3, video: null }],
	['WAV', { name: 'song.wav', args: ['-vn'] }, { container: 'wav', durationSec: 3, video: null }],
	[
		'5.1',
		{ name: 'surround.mkv', args: ['-af', 'pan=5.1|FL=c0|FR=c0|FC=c0|LFE=c0|BL=c0|BR=c0', '-c:a', 'aac'] },
		{ audio: [{ channels: 6 }] },
	],
	[
		'several tracks, one with an invalid language',
		{
			name: 'tracks.mkv',
			args: [
				...['-map', '0:v', '-map', '1:a', '-map', '1:a', '-map', '1:a'],
				...['-metadata:s:a:0', 'language=ger', '-metadata:s:a:0', 'title=Deutsch'],
				...['-metadata:s:a:1', 'language=pt-BR', '-metadata:s:a:2', 'language=<script>'],
			],
		},
		{
			audio: [
				{ language: 'ger', title: 'Deutsch', isDefault: true },
				{ language: 'pt-BR', title: null, isDefault: false },
				{ language: null },
			],
		},
	],
	[
		'video that starts after the audio',
		{ name: 'late.mp4', args: ['-map', '1:a', '-map', '0:v', '-vf', 'setpts=PTS+0.5/TB'] },
		{ durationSec: 3.5, video: { startSec: 0.5, durationSec: 3, frameCount: 105 } },
	],
	[
		'WebM',
		{ name: 'web.webm', args: ['-c:v', 'libvpx', '-deadline', 'realtime', '-c:a', 'libopus'] },
		{ container: 'matroska,webm', video: { codec: 'vp8', frameCount: 90, isConstantRate: true } },
	],
	[
		'AVI with a gap after the first frame',
		{ name: 'old.avi', args: ['-c:v', 'mpeg4', '-c:a', 'mp3'] },
		{ container: 'avi', video: { codec: 'mpeg4', frameCount: 91, isConstantRate: false } },
	],
	[
		'AVI with reordered frames',
		{ name: 'older.avi', args: closed },
		{ video: { codec: 'h264', frameCount: 90, isConstantRate: true, keyframes: null } },
	],
	[
		'FLV',
		{ name: 'flash.flv', args: closed, sound: false },
		{ container: 'flv', video: { isConstantRate: true, ...thirds } },
	],
	[
		'ASF',
		{ name: 'windows.wmv', args: ['-c:v', 'wmv2'], sound: false },
		{ container: 'asf', video: { codec: 'wmv2', frameCount: 90 } },
	],
	[
		'MPEG-PS',
		{ name: 'disc.mpg', rate: '25', args: ['-c:v', 'mpeg2video', '-bf', '2'] },
		{ container: 'mpeg', video: { codec: 'mpeg2video', frameRate: rate(25), frameCount: 75 } },
	],
	[
		'fragments',
		{ name: 'fragments.mp4', args: [...closed, '-movflags', 'frag_keyframe+empty_moov'], sound: false },
		{ video: { ...standard, ...thirds } },
	],
	['one second', { name: 'short.mp4', seconds: 1 }, { durationSec: 1, video: { frameCount: 30 } }],
	[
		'a single frame',
		{ name: 'frame.mp4', sound: false, args: ['-frames:v', '1'] },
		{ video: { frameCount: 1, frameRate: rate(30) } },
	],
]

test.each(corpus)('inspection describes %s', async (_, recipe, { durationSec, audio, ...expected }) => {
	const info = await inspectFile(await makeVideo(folder.path, recipe))
	if (info.video && expected.video) {
		for (const key of ['startSec', 'durationSec', 'longestGopSec'] as const) {
			const value = expected.video[key]
			if (typeof value !== 'number') continue
			expect(info.video[key], key).toBeCloseTo(value, 1)
			Object.assign(info.video, { [key]: value })
		}
	}
	expect(info).toMatchObject(audio ? { ...expected, audio } : expected)
	expect(info.durationSec).toBeCloseTo(durationSec ?? info.durationSec, 1)
})

/** Rows of the `tkhd` matrix that cameras write for a clockwise rotation. */
const matrices = { 90: [0, 1, -1, 0], 180: [-1, 0, 0, -1], 270: [0, -1, 1, 0] } as const

test.each([90, 180, 270] as const)('inspection reads a rotation of %d degrees', async (degrees) => {
	const original = await makeVideo(folder.path, { name: 'upright.mp4' })
	const bytes = await readFile(original)
	const matrix = bytes.indexOf('tkhd') + 44
	const [a, b, c, d] = matrices[degrees]
	for (const [value, at] of [
		[a, 0],
		[b, 4],
		[c, 12],
		[d, 16],
	] as const)
		bytes.writeInt32BE(value * 0x10000, matrix + at)
	const rotated = join(folder.path, `turned-${degrees}.mp4`)
	await writeFile(rotated, bytes)
	const { video } = await inspectFile(rotated)
	const [displayWidth, displayHeight] = degrees === 180 ? [320, 180] : [180, 320]
	expect(video).toMatchObject({ rotation: degrees, displayWidth, displayHeight, codedWidth: 320 })
})

test('inspection excludes frames outside the edit list, and prevents copying', async () => {
	const plain = await makeVideo(folder.path, { name: 'whole.mp4', args: closed })
	const cut = join(folder.path, 'edited.mp4')
	await ffmpeg('-ss', '0.5', '-i', plain, '-c', 'copy', cut)
	const { video } = await inspectFile(cut)
	expect(video).toMatchObject({ frameCount: 75, keyframes: null, isConstantRate: true, startSec: 0 })
})

test('inspection ignores a cover image', async () => {
	const song = await makeVideo(folder.path, { name: 'plain-song.mp3', args: ['-vn'] })
	const cover = join(folder.path, 'cover.png')
	await ffmpeg('-f', 'lavfi', '-i', 'testsrc2=size=64x64', '-frames:v', '1', cover)
	const path = join(folder.path, 'covered.mp3')
	await ffmpeg(
		'-i',
		song,
		'-i',
		cover,
		'-map',
		'0',
		'-map',
		'1',
		'-c',
		'copy',
		'-disposition:v',
		'attached_pic',
		path,
	)
	expect((await inspectFile(path)).video).toBeNull()
})

test('inspection ignores the file name', async () => {
	const plain = await makeVideo(folder.path, { name: 'named.mkv' })
	await copyFile(plain, join(folder.path, 'named.m3u8'))
	expect(await inspectFile(join(folder.path, 'named.m3u8'))).toMatchObject({ container: 'matroska,webm' })
})

test('a video above the length limit is rejected with the limit', async () => {
	const plain = await makeVideo(folder.path, { name: 'long.mp4' })
	await expect(inspectFile(plain, 2)).rejects.toMatchObject({
		name: 'SourceError',
		message: expect.stringContaining('limit'),
	})
})
