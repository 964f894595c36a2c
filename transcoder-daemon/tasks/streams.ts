import type { z } from 'zod'
import {
	type AudioInfo,
	ColorPrimaries,
	ColorRange,
	ColorSpace,
	ColorTransfer,
	ProfileName,
	type Rational,
	type VideoInfo,
} from '#schema/contract/video/media-info.ts'
import { parseRational, toNumber } from '../ffmpeg/frame-rate.ts'
import type { ProbedStream } from '../ffmpeg/probe.ts'
import type { Span } from '../ffmpeg/timeline.ts'
import { isReadable } from './source-errors.ts'
import { type Clock, shiftToClock, type Timing } from './timing.ts'

/** Limit of a task's result. */
const MAX_AUDIO = 32

/**
 * Returns the candidates for the main video track: no cover images, readable tracks if there are any, and of these the
 * ones marked as default.
 */
export function findVideo(streams: readonly ProbedStream[]): ProbedStream[] {
	const pictures = streams.filter(
		({ codec_type, disposition }) =>
			codec_type === 'video' && !disposition.attached_pic && !disposition.timed_thumbnails,
	)
	const weight = (stream: ProbedStream) =>
		(isReadable(stream) ? 2 : 0) + (stream.disposition.default === 1 ? 1 : 0)
	const most = Math.max(...pictures.map(weight))
	return pictures.filter((stream) => weight(stream) === most)
}

/** Two tracks of the same film may differ by a few frames. */
const SAME_FRAMES = 0.9

/**
 * Returns the main track. Still images, as in motion photos, have fewer frames in the same time. Among tracks with
 * similar frame counts, the largest wins.
 */
export function chooseVideo(
	pictures: readonly ProbedStream[],
	framesOf: (stream: ProbedStream) => number,
): ProbedStream | undefined {
	const most = Math.max(...pictures.map(framesOf))
	return pictures
		.filter((stream) => framesOf(stream) >= SAME_FRAMES * most)
		.sort((a, b) => b.width * b.height - a.width * a.height)[0]
}

/** Returns the audio tracks. Tracks that can't be decoded are left out, as in every player. */
export const findAudio = (streams: readonly ProbedStream[]): ProbedStream[] =>
	streams
		.filter(
			({ codec_type, isUndecodable, channels, sample_rate }) =>
				codec_type === 'audio' && !isUndecodable && channels >= 1 && channels <= 64 && sample_rate >= 1_000,
		)
		.slice(0, MAX_AUDIO)

type VideoTrack = Omit<VideoInfo, keyof Timing>

export function describeVideoTrack(stream: ProbedStream): VideoTrack {
	const { width, height } = stream
	const pixelFormat = stream.pix_fmt ?? ''
	const sampleAspect = plausibleAspect(parseRational(stream.sample_aspect_ratio))
	const rotation = rotationOf(stream)
	const displaySize = [Math.max(1, Math.round(width * toNumber(sampleAspect))), height] as const
	const [displayWidth, displayHeight] = rotation % 180 === 0 ? displaySize : [displaySize[1], displaySize[0]]
	return {
		streamIndex: stream.index,
		codec: nameOf(stream.codec_name) ?? '',
		profile: parseName(ProfileName, nameOf(stream.profile)),
		level: stream.level !== null && stream.level !== undefined && stream.level > 0 ? stream.level : null,
		pixelFormat,
		bitDepth: bitDepthOf(pixelFormat),
		chroma: chromaOf(pixelFormat),
		codedWidth: width,
		codedHeight: height,
		sampleAspect,
		rotation,
		displayWidth,
		displayHeight,
		isInterlaced: /^(tt|bb|tb|bt)$/.test(stream.field_order ?? ''),
		color: {
			range: parseName(ColorRange, stream.color_range),
			space: parseName(ColorSpace, stream.color_space),
			transfer: parseName(ColorTransfer, stream.color_transfer),
			primaries: parseName(ColorPrimaries, stream.color_primaries),
		},
		isHdr: /^(smpte2084|arib-std-b67)$/.test(stream.color_transfer ?? ''),
	}
}

/** Returns nothing for a track that contains no audio. */
export function describeAudio(
	stream: ProbedStream,
	span: Span | undefined,
	clock: Clock,
): AudioInfo | undefined {
	const timeBase = parseRational(stream.time_base)
	if (!span || !timeBase || span.end <= span.first) return undefined
	const tick = toNumber(timeBase)
	const durationSec = (span.end - span.first) * tick
	return {
		streamIndex: stream.index,
		codec: nameOf(stream.codec_name) ?? '',
		profile: parseName(ProfileName, nameOf(stream.profile)),
		channels: stream.channels,
		sampleRate: stream.sample_rate,
		bitrateKbps: Math.round((span.bytes * 8) / durationSec / 1_000),
		...shiftToClock(span.first * tick, clock),
		durationSec,
		language: languageIn(stream.tags.language),
		title: titleIn(stream.tags.title),
		isDefault: stream.disposition.default === 1,
	}
}

/** Replaces an implausible aspect ratio, which would distort the video. */
function plausibleAspect(aspect: Rational | null): Rational {
	const isPlausible = aspect && toNumber(aspect) >= 0.25 && toNumber(aspect) <= 4
	return isPlausible ? aspect : { num: 1, den: 1 }
}

/** Rotates clockwise, while matrices rotate counter-clockwise. Angles between quarters are rounded. */
function rotationOf({ side_data_list }: ProbedStream): VideoInfo['rotation'] {
	const degrees = side_data_list.find(({ rotation }) => rotation !== undefined)?.rotation ?? 0
	const quarters = ((Math.round(-degrees / 90) % 4) + 4) % 4
	return ([0, 90, 180, 270] as const)[quarters] ?? 0
}

/** Reads the bit depth: `yuv420p10le` and `p010le` have 10, `rgb48be` 16; without a number it is 8. */
function bitDepthOf(pixelFormat: string): number {
	const bits = Number(/(\d{1,2})(?:le|be)$/.exec(pixelFormat)?.[1] ?? 8)
	if (/^(rgb|bgr)48/.test(pixelFormat) || /^(rgba|bgra|ya)(64|16)/.test(pixelFormat)) return 16
	return bits >= 8 && bits <= 16 ? bits : 8
}

function chromaOf(pixelFormat: string): VideoInfo['chroma'] {
	if (/^(yuvj?a?420|nv12|nv21|p0)/.test(pixelFormat)) return '4:2:0'
	if (/^(yuvj?a?422|nv16|nv20|p2|yuyv|uyvy|yvyu)/.test(pixelFormat)) return '4:2:2'
	if (/^(yuvj?a?444|nv24|p4)/.test(pixelFormat)) return '4:4:4'
	return 'other'
}

const nameOf = (text: string | null | undefined): string | null =>
	!text || text === 'unknown' ? null : text.slice(0, 80)

/** Returns null without a name, or for an unknown name. */
const parseName = <T>(names: z.ZodType<T>, text: string | null | undefined): T | null =>
	names.safeParse(text).data ?? null

function languageIn(text: string | undefined): string | null {
	const [language = '', ...rest] = (text ?? '').trim().split(/[-_]/)
	const tag = [language.toLowerCase(), ...rest].join('-')
	return language.toLowerCase() !== 'und' && /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(tag) ? tag : null
}

const titleIn = (text: string | undefined): string | null =>
	[...(text ?? '').replace(/\p{Cc}+/gu, ' ').trim()].slice(0, 100).join('') || null
