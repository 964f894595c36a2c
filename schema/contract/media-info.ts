import { z } from 'zod'

/** What a machine found in a source. Facts only; what is made of them is decided by the plan (edge/transcoding). */

/** 8K in either shape: more is a bomb, or nothing that machines have the memory for. A few kilobytes can claim it. */
export const MAX_PIXELS = 8_192 * 4_320
/** As people are told it. */
export const LARGEST_PICTURE = '8192 × 4320'

export const Rational = z.object({ num: z.int().positive(), den: z.int().positive() })
export type Rational = z.infer<typeof Rational>

/** As ffprobe has them. Names of codecs and pixel formats are written on command lines. */
const Name = z.string().regex(/^[a-z0-9_]{1,80}$/)
const Containers = z.string().regex(/^[a-z0-9_,]{1,80}$/)
export const ProfileName = z.string().regex(/^[\w .,:+()'/-]{1,80}$/)

/** Every name that ffmpeg has for a color. They end up in filter graphs, so no other text is taken in their place. */
export const ColorRange = z.enum(['tv', 'pc'])
export const ColorSpace = z.enum([
	...(['gbr', 'bt709', 'fcc', 'bt470bg', 'smpte170m', 'smpte240m', 'ycgco', 'ycgco-re', 'ycgco-ro'] as const),
	...([
		'bt2020nc',
		'bt2020c',
		'smpte2085',
		'chroma-derived-nc',
		'chroma-derived-c',
		'ictcp',
		'ipt-c2',
	] as const),
])
export const ColorTransfer = z.enum([
	...(['bt709', 'bt470m', 'bt470bg', 'smpte170m', 'smpte240m', 'linear', 'log100', 'log316'] as const),
	...([
		'iec61966-2-4',
		'bt1361e',
		'iec61966-2-1',
		'bt2020-10',
		'bt2020-12',
		'smpte2084',
		'smpte428',
	] as const),
	'arib-std-b67',
])
export const ColorPrimaries = z.enum([
	...(['bt709', 'bt470m', 'bt470bg', 'smpte170m', 'smpte240m', 'film', 'bt2020', 'smpte428'] as const),
	...(['smpte431', 'smpte432', 'ebu3213', 'jedec-p22'] as const),
])

/** A side of a picture, as far as any codec goes. */
const Side = z.int().positive().max(65_535)
const Seconds = z.number().min(-86_400).max(1_000_000)
/** What the clock of a container without an index shows at its beginning; null where ffmpeg counts from there by itself. */
const ClockSec = Seconds.nullable().default(null)

export const VideoInfo = z.object({
	streamIndex: z.int().nonnegative(),
	codec: Name,
	profile: ProfileName.nullable(),
	level: z.int().nullable(),
	pixelFormat: Name,
	bitDepth: z.int().min(1).max(16),
	chroma: z.enum(['4:2:0', '4:2:2', '4:4:4', 'other']),
	codedWidth: Side,
	codedHeight: Side,
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
		range: ColorRange.nullable(),
		space: ColorSpace.nullable(),
		transfer: ColorTransfer.nullable(),
		primaries: ColorPrimaries.nullable(),
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
	profile: ProfileName.nullable(),
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
	container: Containers,
	sizeBytes: z.int().positive(),
	/** From the first to the last instant of what is shown or heard. */
	durationSec: Seconds,
	video: VideoInfo.nullable(),
	audio: z.array(AudioInfo).max(32),
})
export type MediaInfo = z.infer<typeof MediaInfo>
