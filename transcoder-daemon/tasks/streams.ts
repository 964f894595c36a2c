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
} from '#schema/contract/media-info.ts'
import { quotientOf, rationalIn } from '../ffmpeg/frame-rate.ts'
import type { ProbedStream } from '../ffmpeg/probe.ts'
import type { Span } from '../ffmpeg/timeline.ts'
import { type Clock, onClock, type Timing } from './timing.ts'

/** As many as a result may name. */
const MAX_AUDIO = 32

/** The one that the file means to be shown: not its cover, and of several the preferred or larger one. */
export function findVideo(streams: readonly ProbedStream[]): ProbedStream | undefined {
	const pictures = streams.filter(
		({ codec_type, disposition }) =>
			codec_type === 'video' && !disposition.attached_pic && !disposition.timed_thumbnails,
	)
	const weight = ({ codec_name, disposition, width, height }: ProbedStream) =>
		(codec_name ? 2e12 : 0) + (disposition.default ? 1e12 : 0) + width * height
	return pictures.sort((a, b) => weight(b) - weight(a))[0]
}

/** Tracks of a kind that no decoder knows are left out, as they are by every player. */
export const findAudio = (streams: readonly ProbedStream[]): ProbedStream[] =>
	streams
		.filter(
			({ codec_type, codec_name, channels, sample_rate }) =>
				codec_type === 'audio' && codec_name && channels >= 1 && channels <= 64 && sample_rate >= 1_000,
		)
		.slice(0, MAX_AUDIO)

type Picture = Omit<VideoInfo, keyof Timing>

export function describePicture(stream: ProbedStream): Picture {
	const { width, height } = stream
	const pixelFormat = stream.pix_fmt ?? ''
	const sampleAspect = squareUnlessSane(rationalIn(stream.sample_aspect_ratio))
	const rotation = rotationOf(stream)
	const shown = [Math.max(1, Math.round(width * quotientOf(sampleAspect))), height] as const
	const [displayWidth, displayHeight] = rotation % 180 === 0 ? shown : [shown[1], shown[0]]
	return {
		streamIndex: stream.index,
		codec: nameOf(stream.codec_name) ?? '',
		profile: knownIn(ProfileName, nameOf(stream.profile)),
		level: stream.level !== null && stream.level !== undefined && stream.level > 0 ? stream.level : null,
		pixelFormat,
		bitDepth: bitDepthOf(pixelFormat),
		chroma: chromaOf(pixelFormat),
		...{ codedWidth: width, codedHeight: height, sampleAspect, rotation, displayWidth, displayHeight },
		isInterlaced: /^(tt|bb|tb|bt)$/.test(stream.field_order ?? ''),
		color: {
			range: knownIn(ColorRange, stream.color_range),
			space: knownIn(ColorSpace, stream.color_space),
			transfer: knownIn(ColorTransfer, stream.color_transfer),
			primaries: knownIn(ColorPrimaries, stream.color_primaries),
		},
		isHdr: /^(smpte2084|arib-std-b67)$/.test(stream.color_transfer ?? ''),
	}
}

/** Nothing where a track is named but no sound is in it. */
export function describeSound(
	stream: ProbedStream,
	span: Span | undefined,
	clock: Clock,
): AudioInfo | undefined {
	const timeBase = rationalIn(stream.time_base)
	if (!span || !timeBase || span.end <= span.first) return undefined
	const tick = quotientOf(timeBase)
	const durationSec = (span.end - span.first) * tick
	return {
		streamIndex: stream.index,
		codec: nameOf(stream.codec_name) ?? '',
		profile: knownIn(ProfileName, nameOf(stream.profile)),
		channels: stream.channels,
		sampleRate: stream.sample_rate,
		bitrateKbps: Math.round((span.bytes * 8) / durationSec / 1_000),
		...onClock(span.first * tick, clock),
		durationSec,
		language: languageIn(stream.tags.language),
		title: titleIn(stream.tags.title),
		isDefault: stream.disposition.default === 1,
	}
}

/** Such as no camera or disc ever had would make a picture of nothing but width. */
function squareUnlessSane(aspect: Rational | null): Rational {
	const isSane = aspect && quotientOf(aspect) >= 0.25 && quotientOf(aspect) <= 4
	return isSane ? aspect : { num: 1, den: 1 }
}

/** Matrices turn counter-clockwise; angles between the quarters are those of a slanted hand. */
function rotationOf({ side_data_list }: ProbedStream): VideoInfo['rotation'] {
	const turned = side_data_list.find(({ rotation }) => rotation !== undefined)?.rotation ?? 0
	const quarters = ((Math.round(-turned / 90) % 4) + 4) % 4
	return ([0, 90, 180, 270] as const)[quarters] ?? 0
}

/** `yuv420p10le` has 10, `p010le` too, `rgb48be` 16; those without a number 8. */
function bitDepthOf(pixelFormat: string): number {
	const bits = Number(/(\d+)(?:le|be)$/.exec(pixelFormat)?.[1] ?? 8)
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

/** null for what has no name, and for a name that nothing could be made of. */
const knownIn = <T>(names: z.ZodType<T>, text: string | null | undefined): T | null =>
	names.safeParse(text).data ?? null

function languageIn(text: string | undefined): string | null {
	const [language = '', ...rest] = (text ?? '').trim().split(/[-_]/)
	const tag = [language.toLowerCase(), ...rest].join('-')
	return language.toLowerCase() !== 'und' && /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(tag) ? tag : null
}

const titleIn = (text: string | undefined): string | null =>
	[...(text ?? '').replace(/\p{Cc}+/gu, ' ').trim()].slice(0, 100).join('') || null
