import { execFile } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { AudioInfo, Rational, VideoInfo } from '#schema/contract/media-info.ts'

/**
 * Inputs of every sort that people upload, made with ffmpeg's own sources. Each frame carries its number as a strip of
 * bits along its upper edge, which scaling leaves readable; a tone of 50 ms sounds at every full second. So it can be
 * seen that every frame came through once, and heard that sound and picture belong together.
 */
export type CorpusItem = {
	name: string
	file: string
	seconds: number
	/** Facts that a reader of the file must find. null: it has no picture. */
	video: VideoInfo | null
	audio: readonly AudioInfo[]
	/** What brings the source, as ffmpeg shows it, to what a player must show. */
	reference: string
	/** Whether the n-th frame that is shown is the n-th that was made. */
	isNumbered: boolean
	make(ffmpeg: string, path: string): Promise<void>
}

export const STRIP_BITS = 16

type Picture = {
	fps?: Rational
	/** As it is stored. */
	size?: { width: number; height: number }
	seconds?: number
	/** Between the drawing of the numbers and the encoder. */
	filters?: readonly string[]
	/** Before the numbers are drawn. */
	before?: readonly string[]
	/** The rate of the source, where `before` changes it. */
	sourceFps?: Rational
	encode?: readonly string[]
	info?: Partial<VideoInfo>
}
type Sound = {
	channels?: number
	layout?: string
	sampleRate?: number
	encode?: readonly string[]
	language?: string
	startSec?: number
	codec?: string
}

const rate = (num: number, den = 1): Rational => ({ num, den })
const text = ({ num, den }: Rational) => `${num}/${den}`

const X264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '16', '-pix_fmt', 'yuv420p', '-g', '50']
const AAC = ['-c:a', 'aac', '-b:a', '128k']

/** Draws the number of each frame. */
export const strip = [
	'drawbox=x=0:y=0:w=iw:h=ih/8:color=black:t=fill',
	...Array.from(
		{ length: STRIP_BITS },
		(_, bit) =>
			`drawbox=x=iw*${bit}/${STRIP_BITS}:y=0:w=iw/${STRIP_BITS}:h=ih/8:color=white:t=fill:enable='gte(mod(n\\,${2 ** (bit + 1)})\\,${2 ** bit})'`,
	),
]

/** For ffmpeg: brings a picture to one gray pixel for each bit. */
export const readStrip = `crop=iw:ih/8:0:0,scale=${STRIP_BITS}:1:flags=area,format=gray`
export const numberIn = (bits: Uint8Array): number =>
	bits.reduce((number, gray, bit) => number + (gray > 127 ? 2 ** bit : 0), 0)

function pictureArgs(picture: Picture): { input: string[]; filter: string; encode: readonly string[] } {
	const { fps = rate(25), size = { width: 640, height: 360 }, seconds = 5 } = picture
	const source = `testsrc2=size=${size.width}x${size.height}:rate=${text(picture.sourceFps ?? fps)}:duration=${seconds}`
	const filter = [...(picture.before ?? []), ...strip, ...(picture.filters ?? [])].join(',')
	return { input: ['-f', 'lavfi', '-i', source], filter, encode: picture.encode ?? X264 }
}

function soundArgs({ channels = 2, layout, sampleRate = 48_000 }: Sound, seconds: number): string[] {
	const tone = `if(lt(mod(t\\,1)\\,0.05)\\,0.5*sin(2*PI*1000*t)\\,0)`
	const each = Array(channels).fill(tone).join('|')
	const named = layout ? `:c=${layout}` : ''
	return ['-f', 'lavfi', '-i', `aevalsrc=exprs=${each}${named}:s=${sampleRate}:d=${seconds}`]
}

function videoInfo(picture: Picture): VideoInfo {
	const { fps = rate(25), size = { width: 640, height: 360 }, seconds = 5 } = picture
	return {
		streamIndex: 0,
		codec: 'h264',
		profile: 'High',
		level: 30,
		pixelFormat: 'yuv420p',
		bitDepth: 8,
		chroma: '4:2:0',
		codedWidth: size.width,
		codedHeight: size.height,
		sampleAspect: rate(1),
		rotation: 0,
		displayWidth: size.width,
		displayHeight: size.height,
		isInterlaced: false,
		frameRate: fps,
		isConstantRate: true,
		frameCount: Math.ceil((seconds * fps.num) / fps.den),
		startSec: 0,
		clockSec: null,
		durationSec: seconds,
		bitrateKbps: 1_000,
		color: { range: null, space: null, transfer: null, primaries: null },
		isHdr: false,
		isClosedGop: true,
		longestGopSec: null,
		keyframes: null,
		...picture.info,
	}
}

const audioInfo = (sound: Sound, streamIndex: number, seconds: number): AudioInfo => ({
	streamIndex,
	codec: sound.codec ?? 'aac',
	profile: null,
	channels: sound.channels ?? 2,
	sampleRate: sound.sampleRate ?? 48_000,
	bitrateKbps: null,
	startSec: sound.startSec ?? 0,
	clockSec: null,
	durationSec: seconds - (sound.startSec ?? 0),
	language: sound.language ?? null,
	title: null,
	isDefault: streamIndex <= 1,
})

type Recipe = {
	container?: string
	picture?: Picture | null
	sounds?: readonly Sound[]
	reference?: string
	isNumbered?: boolean
	output?: readonly string[]
	/** After it was written. */
	finish?: (ffmpeg: string, path: string) => Promise<void>
}

const run = promisify(execFile)

async function callFfmpeg(ffmpeg: string, args: readonly string[]): Promise<void> {
	await run(ffmpeg, ['-hide_banner', '-nostdin', '-loglevel', 'error', '-y', ...args], {
		maxBuffer: 1_000_000,
	})
}

function item(name: string, recipe: Recipe = {}): CorpusItem {
	const { container = 'mp4', sounds = [{}], output = [], finish } = recipe
	const picture = recipe.picture === null ? null : (recipe.picture ?? {})
	const seconds = picture?.seconds ?? 5
	const firstSound = picture ? 1 : 0
	return {
		name,
		file: `${name}.${container}`,
		seconds,
		video: picture && videoInfo(picture),
		audio: sounds.map((sound, index) => audioInfo(sound, firstSound + index, seconds)),
		reference: recipe.reference ?? 'null',
		isNumbered: recipe.isNumbered ?? true,
		async make(ffmpeg, path) {
			const shown = picture && pictureArgs(picture)
			const inputs = [
				...(shown?.input ?? []),
				...sounds.flatMap((sound) => [
					// Sound that begins late keeps its place: its tones are where they were.
					...(sound.startSec ? ['-itsoffset', '0', '-ss', String(sound.startSec)] : []),
					...soundArgs(sound, seconds),
				]),
			]
			const late = sounds.map((sound, index) =>
				sound.startSec
					? `[${firstSound + index}:a]asetpts=PTS+${sound.startSec}/TB[a${index}]`
					: `[${firstSound + index}:a]anull[a${index}]`,
			)
			const graph = [...(shown ? [`[0:v]${shown.filter}[v]`] : []), ...late].join(';')
			await callFfmpeg(ffmpeg, [
				...inputs,
				...['-filter_complex', graph],
				...(shown ? ['-map', '[v]', ...shown.encode] : []),
				...sounds.flatMap((sound, index) => [
					...['-map', `[a${index}]`],
					...(sound.language ? [`-metadata:s:a:${index}`, `language=${sound.language}`] : []),
				]),
				...(sounds[0]?.encode ?? (sounds.length > 0 ? AAC : [])),
				...output,
				path,
			])
			await finish?.(ffmpeg, path)
		},
	}
}

const small = { width: 640, height: 360 }
const turned = { width: 360, height: 640 }
const at = (num: number, den = 1): Recipe => ({ picture: { fps: rate(num, den) } })
const x264 = (...more: string[]) => [...X264, ...more]

export const corpus: readonly CorpusItem[] = [
	item('film-23976', at(24_000, 1_001)),
	item('pal-25'),
	item('ntsc-2997', at(30_000, 1_001)),
	item('fast-50', at(50)),
	item('fast-5994', at(60_000, 1_001)),
	item('slow-12-5', at(25, 2)),
	item('vfr', {
		// Of 30 frames, at first all are there, then every third, then all but every fifth.
		picture: {
			fps: rate(30),
			seconds: 6,
			filters: ["select='if(lt(t\\,2)\\,1\\,if(lt(t\\,4)\\,not(mod(n\\,3))\\,mod(n\\,5)))'"],
			encode: x264('-vsync', 'vfr'),
			info: { isConstantRate: false, frameCount: null },
		},
		isNumbered: false,
	}),
	item('open-gop', {
		picture: {
			seconds: 6,
			encode: x264('-g', '40', '-bf', '5', '-x264-params', 'open-gop=1:b-pyramid=2:scenecut=0'),
			info: { isClosedGop: false },
		},
	}),
	item('long-gop', {
		picture: { seconds: 8, encode: x264('-g', '9999', '-sc_threshold', '0'), info: { longestGopSec: 8 } },
	}),
	item('portrait', { picture: { size: turned } }),
	...([90, 180, 270] as const).map((rotation) => rotated(rotation)),
	item('odd-size', {
		container: 'webm',
		picture: {
			size: { width: 641, height: 361 },
			encode: [
				'-c:v',
				'libvpx',
				'-deadline',
				'realtime',
				'-cpu-used',
				'8',
				'-b:v',
				'4M',
				'-crf',
				'10',
				'-pix_fmt',
				'yuv420p',
			],
			info: { codec: 'vp8' },
		},
		sounds: [{ encode: ['-c:a', 'libopus'], codec: 'opus' }],
	}),
	item('anamorphic', {
		picture: {
			size: { width: 480, height: 360 },
			filters: ['setsar=4/3'],
			info: { sampleAspect: rate(4, 3), displayWidth: 640, displayHeight: 360 },
		},
	}),
	item('interlaced', {
		container: 'ts',
		picture: {
			sourceFps: rate(50),
			before: ['tinterlace=mode=interleave_top'],
			encode: [
				'-c:v',
				'mpeg2video',
				'-flags',
				'+ildct+ilme',
				'-b:v',
				'8M',
				'-g',
				'15',
				'-bf',
				'2',
				'-top',
				'1',
				'-pix_fmt',
				'yuv420p',
			],
			info: { codec: 'mpeg2video', isInterlaced: true },
		},
		reference: 'bwdif=mode=send_frame:deint=all',
	}),
	item('ten-bit', {
		picture: {
			encode: ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '16', '-pix_fmt', 'yuv420p10le', '-g', '50'],
			info: { pixelFormat: 'yuv420p10le', bitDepth: 10 },
		},
	}),
	item('hdr', {
		picture: {
			seconds: 3,
			encode: [
				...[
					'-c:v',
					'libx265',
					'-preset',
					'ultrafast',
					'-crf',
					'14',
					'-pix_fmt',
					'yuv420p10le',
					'-tag:v',
					'hvc1',
				],
				...['-color_primaries', 'bt2020', '-color_trc', 'smpte2084', '-colorspace', 'bt2020nc'],
				...[
					'-x265-params',
					'colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:log-level=none:keyint=50',
				],
			],
			info: {
				codec: 'hevc',
				pixelFormat: 'yuv420p10le',
				bitDepth: 10,
				isHdr: true,
				color: { range: 'tv', space: 'bt2020nc', transfer: 'smpte2084', primaries: 'bt2020' },
			},
		},
		reference:
			'zscale=t=linear:npl=100,format=gbrpf32le,zscale=p=bt709,tonemap=tonemap=hable:desat=0:peak=10,zscale=t=bt709:m=bt709:r=tv,format=yuv420p',
	}),
	item('chroma-422', {
		picture: {
			encode: ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '16', '-pix_fmt', 'yuv422p', '-g', '50'],
			info: { pixelFormat: 'yuv422p', chroma: '4:2:2' },
		},
	}),
	item('silent', { sounds: [] }),
	item('audio-only', { container: 'm4a', picture: null }),
	item('mono', { sounds: [{ channels: 1 }] }),
	item('surround', { sounds: [{ channels: 6, layout: '5.1' }] }),
	item('many-tracks', {
		sounds: [{ language: 'eng' }, { language: 'deu', channels: 1 }, { language: 'fra', sampleRate: 44_100 }],
	}),
	item('edit-list', {
		picture: { seconds: 6, info: { durationSec: 4.7, frameCount: null } },
		// Begins in the middle of a group of pictures: the file says to pass over what is before.
		finish: (ffmpeg, path) => rewrite(ffmpeg, path, ['-ss', '1.3'], ['-c', 'copy']),
		isNumbered: false,
	}),
	item('start-not-zero', { container: 'ts', output: ['-output_ts_offset', '37.5'] }),
	item('late-sound', { sounds: [{ startSec: 0.7 }] }),
	item('matroska', { container: 'mkv', sounds: [{ encode: ['-c:a', 'flac'], codec: 'flac' }] }),
	item('webm-vp9', {
		container: 'webm',
		picture: {
			encode: [
				'-c:v',
				'libvpx-vp9',
				'-deadline',
				'realtime',
				'-cpu-used',
				'8',
				'-b:v',
				'4M',
				'-g',
				'50',
				'-pix_fmt',
				'yuv420p',
			],
			info: { codec: 'vp9' },
		},
		sounds: [{ encode: ['-c:a', 'libopus'], codec: 'opus' }],
	}),
	item('quicktime', { container: 'mov', sounds: [{ encode: ['-c:a', 'pcm_s16le'], codec: 'pcm_s16le' }] }),
	item('transport-stream', { container: 'ts', picture: { seconds: 8, encode: x264('-g', '100') } }),
	item('avi', {
		container: 'avi',
		picture: {
			encode: ['-c:v', 'mpeg4', '-q:v', '3', '-g', '50', '-bf', '0', '-pix_fmt', 'yuv420p'],
			info: { codec: 'mpeg4' },
		},
		sounds: [{ encode: ['-c:a', 'pcm_s16le'], codec: 'pcm_s16le' }],
	}),
	item('one-second', { picture: { seconds: 1 } }),
	item('full-range', {
		picture: {
			filters: ['scale=out_range=pc', 'format=yuvj420p'],
			encode: x264('-pix_fmt', 'yuvj420p'),
			info: { pixelFormat: 'yuvj420p', color: { range: 'pc', space: null, transfer: null, primaries: null } },
		},
		reference: 'scale=out_range=tv,format=yuv420p',
	}),
]

/** Made only where there is time. */
export const longCorpus: readonly CorpusItem[] = [
	item('ten-minutes', { picture: { fps: rate(30_000, 1_001), seconds: 600 } }),
]

function rotated(rotation: 90 | 180 | 270): CorpusItem {
	const back = { 90: ['transpose=cclock'], 180: ['hflip', 'vflip'], 270: ['transpose=clock'] }[rotation]
	const upright = rotation === 180 ? small : turned
	return item(`rotation-${rotation}`, {
		picture: {
			size: upright,
			filters: back,
			info: { rotation, codedWidth: small.width, codedHeight: small.height },
		},
		finish: async (_, path) => writeFile(path, turnTrack(await readFile(path), rotation)),
	})
}

/** Writes the matrix of the first track; by hand, as programs changed how they are told. */
function turnTrack(mp4: Buffer, rotation: 90 | 180 | 270): Buffer {
	const tkhd = mp4.indexOf('tkhd', 0, 'latin1')
	const matrix = tkhd + 4 + (mp4.readUInt8(tkhd + 4) === 1 ? 52 : 40)
	const ONE = 0x10000
	const [a, b, c, d] = { 90: [0, ONE, -ONE, 0], 180: [-ONE, 0, 0, -ONE], 270: [0, -ONE, ONE, 0] }[
		rotation
	] as [number, number, number, number]
	for (const [index, value] of [a, b, 0, c, d, 0].entries()) mp4.writeInt32BE(value, matrix + 4 * index)
	return mp4
}

async function rewrite(
	ffmpeg: string,
	path: string,
	before: readonly string[],
	after: readonly string[],
): Promise<void> {
	const whole = join(path, '..', `whole-${Date.now()}-${Math.random().toString(36).slice(2)}.mp4`)
	await writeFile(whole, await readFile(path))
	await callFfmpeg(ffmpeg, [...before, '-i', whole, ...after, path])
	await rm(whole)
}
