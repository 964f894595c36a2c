import { z } from 'zod'

/** What a machine found in a source. Contains only facts, because the plan (edge/video/transcoding) makes the decisions. */

/**
 * 8K in portrait or landscape. Machines lack the memory for more, and a malicious file of a few kilobytes can claim any
 * size.
 */
export const MAX_PIXELS = 8_192 * 4_320
/** `MAX_PIXELS` in the words of error messages. */
export const LARGEST_PICTURE = '8192 × 4320'

export const Rational = z.object({ num: z.int().positive(), den: z.int().positive() })
export type Rational = z.infer<typeof Rational>

/** A codec or pixel format of ffprobe. The pattern is strict because these names go on command lines. */
const Name = z.string().regex(/^[a-z0-9_]{1,80}$/)
const Containers = z.string().regex(/^[a-z0-9_,]{1,80}$/)
export const ProfileName = z.string().regex(/^[\w .,:+()'/-]{1,80}$/)

/** The color names of ffmpeg. The lists are closed because these names go into filter graphs. */
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

/** Width or height; no codec supports more. */
const Side = z.int().positive().max(65_535)
const Seconds = z.number().min(-86_400).max(1_000_000)
/** The first timestamp in a container without an index; null if ffmpeg subtracts it by itself. */
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
	/** Degrees to turn the picture clockwise for display. */
	rotation: z.union([z.literal(0), z.literal(90), z.literal(180), z.literal(270)]),
	/** After rotation and with square pixels, not yet rounded to even numbers. */
	displayWidth: z.int().positive(),
	displayHeight: z.int().positive(),
	isInterlaced: z.boolean(),
	/** Exact if the rate is constant; else a common rate near that of the parts with the most frames. */
	frameRate: Rational,
	isConstantRate: z.boolean(),
	/**
	 * The number of frames by which a decoder's output lags behind decode timestamps, for containers that have no other
	 * timestamps (H.264 in AVI). Absent if packets have presentation timestamps.
	 */
	reorderFrames: z.int().min(0).max(32).optional(),
	/** Frames on the constant grid of `frameRate` from the start of the container; null if only decoding could count them. */
	frameCount: z.int().positive().nullable(),
	/** Time of the first frame, counted from the start of the container. */
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
	/** Whether every group of pictures can be decoded alone; null if unknown. */
	isClosedGop: z.boolean().nullable(),
	longestGopSec: Seconds.nullable(),
	/**
	 * Frames at which a copy can be cut, in presentation order from 0, about one per second at most. For H.264 these are
	 * IDR pictures only. The first one need not be 0. null if unknown.
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
	/** The ISO 639 tag in the file, if well-formed; null for `und` and for none. */
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
	/** From the first to the last frame or sample. */
	durationSec: Seconds,
	video: VideoInfo.nullable(),
	audio: z.array(AudioInfo).max(32),
})
export type MediaInfo = z.infer<typeof MediaInfo>
