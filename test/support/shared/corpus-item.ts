import type { AudioInfo, Rational, VideoInfo } from '#schema/contract/video/media-info.ts'
import { strip } from './frame-numbers.ts'
import { encodeOnce } from './media-cache.ts'

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

export const rate = (num: number, den = 1): Rational => ({ num, den })
const text = ({ num, den }: Rational) => `${num}/${den}`

export const X264 = [
	'-c:v',
	'libx264',
	'-preset',
	'veryfast',
	'-crf',
	'16',
	'-pix_fmt',
	'yuv420p',
	'-g',
	'50',
]
const AAC = ['-c:a', 'aac', '-b:a', '128k']

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

export type Recipe = {
	container?: string
	picture?: Picture | null
	sounds?: readonly Sound[]
	reference?: string
	isNumbered?: boolean
	output?: readonly string[]
	/** After it was written. */
	finish?: (ffmpeg: string, path: string) => Promise<void>
}

export function item(name: string, recipe: Recipe = {}): CorpusItem {
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
			const args = [
				...inputs,
				...['-filter_complex', graph],
				...(shown ? ['-map', '[v]', ...shown.encode] : []),
				...sounds.flatMap((sound, index) => [
					...['-map', `[a${index}]`],
					...(sound.language ? [`-metadata:s:a:${index}`, `language=${sound.language}`] : []),
				]),
				...(sounds[0]?.encode ?? (sounds.length > 0 ? AAC : [])),
				...output,
			]
			await encodeOnce(ffmpeg, args, path)
			await finish?.(ffmpeg, path)
		},
	}
}
