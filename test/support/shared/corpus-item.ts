import type { AudioInfo, Rational, VideoInfo } from '#schema/contract/video/media-info.ts'
import { strip } from './frame-numbers.ts'
import { encodeOnce } from './media-cache.ts'

/**
 * Inputs of every kind that people upload, made with ffmpeg's test sources. Each frame has its number as a strip of bits at
 * its top, which stays readable after scaling. At every full second there is a tone of 50 ms. So tests can check that every
 * frame is there once, and that audio and video are in sync.
 */
export type CorpusItem = {
	name: string
	file: string
	seconds: number
	/** What inspecting the file must return. null: it has no video. */
	video: VideoInfo | null
	audio: readonly AudioInfo[]
	/** The ffmpeg filter from the decoded source to what a player must show. */
	reference: string
	/** Whether the n-th frame that is shown has the number n. */
	isNumbered: boolean
	make(ffmpeg: string, path: string): Promise<void>
}

type Picture = {
	fps?: Rational
	/** The coded size. */
	size?: { width: number; height: number }
	seconds?: number
	/** Filters after the numbers are drawn. */
	filters?: readonly string[]
	/** Filters before the numbers are drawn. */
	before?: readonly string[]
	/** The frame rate of the source if `before` changes it. */
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
	const layoutOption = layout ? `:c=${layout}` : ''
	return ['-f', 'lavfi', '-i', `aevalsrc=exprs=${each}${layoutOption}:s=${sampleRate}:d=${seconds}`]
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
	/** Changes the file after it was written. */
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
					// The tones of audio that starts late stay at full seconds.
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
