import { z } from 'zod'

/** What a machine found in a source. Facts only; what is made of them is decided by the plan (edge/transcoding). */

/** 8K in either shape: more is a bomb, or nothing that machines have the memory for. A few kilobytes can claim it. */
export const MAX_PIXELS = 8_192 * 4_320
/** As people are told it. */
export const LARGEST_PICTURE = '8192 × 4320'

export const Rational = z.object({ num: z.int().positive(), den: z.int().positive() })
export type Rational = z.infer<typeof Rational>

/** Names as ffprobe gives them. */
const Name = z.string().max(80)
const Seconds = z.number().min(-86_400).max(1_000_000)
/** What the clock of a container without an index shows at its beginning; null where ffmpeg counts from there by itself. */
const ClockSec = Seconds.nullable().default(null)

export const VideoInfo = z.object({
	streamIndex: z.int().nonnegative(),
	codec: Name,
	profile: Name.nullable(),
	level: z.int().nullable(),
	pixelFormat: Name,
	bitDepth: z.int().min(1).max(16),
	chroma: z.enum(['4:2:0', '4:2:2', '4:4:4', 'other']),
	codedWidth: z.int().positive(),
	codedHeight: z.int().positive(),
	sampleAspect: Rational,
	/** Clockwise, to be shown upright. */
	rotation: z.union([z.literal(0), z.literal(90), z.literal(180), z.literal(270)]),
	/** As it is to be shown: turned, with square pixels. Not yet rounded to even numbers. */
	displayWidth: z.int().positive(),
	displayHeight: z.int().positive(),
	isInterlaced: z.boolean(),
	/** The exact one where it is constant; else a usual one near that of the livelier stretches. */
	frameRate: Rational,
	isConstantRate: z.boolean(),
	/** On the constant grid of `frameRate` from where the container begins; null when only decoding would tell. */
	frameCount: z.int().positive().nullable(),
	/** Of the first frame, on the clock where the container begins at 0. */
	startSec: Seconds,
	clockSec: ClockSec,
	durationSec: Seconds,
	bitrateKbps: z.int().nonnegative(),
	color: z.object({
		range: Name.nullable(),
		space: Name.nullable(),
		transfer: Name.nullable(),
		primaries: Name.nullable(),
	}),
	isHdr: z.boolean(),
	/** Whether every group of pictures stands alone; null when unknown. */
	isClosedGop: z.boolean().nullable(),
	longestGopSec: Seconds.nullable(),
	/**
	 * Numbers of the frames (in order of presentation, from 0) a copy can be cut at: at most about one in a second.
	 * Of H.264 only IDR pictures are meant; the first may be another than 0. null when unknown.
	 */
	keyframes: z.array(z.int().nonnegative()).max(100_000).nullable(),
})
export type VideoInfo = z.infer<typeof VideoInfo>

export const AudioInfo = z.object({
	streamIndex: z.int().nonnegative(),
	codec: Name,
	profile: Name.nullable(),
	channels: z.int().min(1).max(64),
	sampleRate: z.int().min(1_000).max(768_000),
	bitrateKbps: z.int().nonnegative().nullable(),
	startSec: Seconds,
	clockSec: ClockSec,
	durationSec: Seconds,
	/** ISO 639 as the file has it, checked for its form; null for `und` and for none. */
	language: z
		.string()
		.regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/)
		.nullable(),
	title: z.string().max(200).nullable(),
	isDefault: z.boolean(),
})
export type AudioInfo = z.infer<typeof AudioInfo>

export const MediaInfo = z.object({
	container: Name,
	sizeBytes: z.int().positive(),
	/** From the first to the last instant of what is shown or heard. */
	durationSec: Seconds,
	video: VideoInfo.nullable(),
	audio: z.array(AudioInfo).max(32),
})
export type MediaInfo = z.infer<typeof MediaInfo>
