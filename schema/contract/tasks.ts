import { z } from 'zod'
import { AudioInfo, MediaInfo, Rational, VideoInfo } from './media-info.ts'

/**
 * What a machine is asked to do and what it answers. Times are counted in frames of a constant grid, or in samples:
 * never in seconds, which would have to be rounded.
 */

export const VideoCodec = z.enum(['h264', 'hevc', 'av1'])
export type VideoCodec = z.infer<typeof VideoCodec>

/** ffmpeg's own name of an encoder. Not a closed list: a newer daemon may prove one this edge has no use for yet. */
export const EncoderName = z.string().regex(/^[a-z0-9_]{1,40}$/)

/** A rung is stored under this name: `h264-720p`. */
export const RungId = z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/)

/** A step of the ladder that is encoded. */
export const Rung = z.object({
	id: RungId,
	/** As people know it: `720p`. Portrait video is named by its shorter side, too. */
	quality: z.string().regex(/^\d{1,5}p$/),
	codec: VideoCodec,
	/** All chunks of a rung are made by one encoder, or they would not fit together. */
	encoder: EncoderName,
	width: z.int().positive(),
	height: z.int().positive(),
	crf: z.number().min(0).max(63),
	maxKbps: z.int().positive(),
	/** As encoders name or number them. */
	preset: z.string().regex(/^[a-z0-9]{1,20}$/),
})
export type Rung = z.infer<typeof Rung>

/** Decode time at which every presentation begins: keeps times positive before frames that are decoded early. */
export const START_OFFSET_SEC = 1

/** What the picture must go through before it is scaled, in this order. */
export const Preparation = z.object({ deinterlace: z.boolean(), toneMap: z.boolean() })

/** Small pictures of the video, side by side on one sheet. */
export const Storyboard = z.object({
	everyFrames: z.int().positive(),
	tileWidth: z.int().positive(),
	tileHeight: z.int().positive(),
	columns: z.int().positive().max(20),
})
export type Storyboard = z.infer<typeof Storyboard>

/** Fetch an imported source from elsewhere, and put it into the vault. */
const FetchSpec = z.object({
	kind: z.literal('fetch'),
	url: z.string().max(2_048),
	maxBytes: z.int().positive(),
})

const InspectSpec = z.object({ kind: z.literal('inspect'), maxDurationSec: z.number().positive() })

/** Cut the source into segments as it is. */
const RemuxSpec = z.object({
	kind: z.literal('remux'),
	video: VideoInfo,
	rung: RungId,
	fps: Rational,
	/** Frames at which segments begin; the first is 0. */
	cuts: z.array(z.int().nonnegative()).min(1).max(100_000),
})

/** One decode of one stretch of the source, encoded for every rung. */
const VideoSpec = z.object({
	kind: z.literal('video'),
	video: VideoInfo,
	prepare: Preparation,
	fps: Rational,
	firstFrame: z.int().nonnegative(),
	/** null: to the end, wherever that is. */
	frames: z.int().positive().nullable(),
	/** Frames of the whole video at which segments begin; the first is `firstFrame`. */
	cuts: z.array(z.int().nonnegative()).min(1).max(10_000),
	/** Number of the first segment, as its name has it. */
	firstSegment: z.int().nonnegative(),
	/** From the largest to the smallest. */
	rungs: z.array(Rung).min(1).max(24),
	/** Of the frames of this chunk: one sheet, from the same decode. */
	storyboard: Storyboard.nullable(),
})

/** Samples in one access unit of AAC, which is never divided. */
export const UNIT_SAMPLES = 1_024

export const AudioTrack = z.object({
	/** `a0`, `a1`, …: names its files. */
	id: z.string().regex(/^a\d{1,2}$/),
	source: AudioInfo,
	bitrateKbps: z.int().min(16).max(512),
	sampleRate: z.int().min(8_000).max(96_000),
	channels: z.int().min(1).max(2),
	/** As it is in the source, where that can be cut into segments; it is encoded where it turns out that it can't. */
	isCopied: z.boolean().default(false),
})
export type AudioTrack = z.infer<typeof AudioTrack>

/** One file of sound: for listening, or for speech recognition. */
const AudioFile = z.object({
	codec: z.enum(['aac', 'opus', 'flac']),
	bitrateKbps: z.int().positive().nullable(),
	sampleRate: z.int().positive(),
	channels: z.int().min(1).max(2),
	normalize: z.boolean(),
})
export type AudioFile = z.infer<typeof AudioFile>

/** What a copy may have more or less than was asked for. */
const ABOUT = 0.1

/** Whether a file of it is the very sound of the track: no other encoder is needed then. */
export function isSoundOf(
	track: AudioTrack,
	{ codec, bitrateKbps, sampleRate, channels, normalize }: AudioFile,
): boolean {
	if (codec !== 'aac' || bitrateKbps === null || normalize) return false
	if (sampleRate !== track.sampleRate || channels !== track.channels) return false
	if (!track.isCopied) return bitrateKbps === track.bitrateKbps
	return Math.abs((track.source.bitrateKbps ?? 0) / bitrateKbps - 1) <= ABOUT
}

const AudioSpec = z.object({
	kind: z.literal('audio'),
	tracks: z.array(AudioTrack).min(1).max(32),
	/** Length of the segments, as near as whole audio frames come to it: that of the video's segments. */
	segment: Rational.meta({ description: 'Seconds' }),
	/** So long the sound is made to be: as long as the picture, so that both end together. null: as it is. */
	durationSec: z.number().positive().nullable(),
	/** Of the default track; null where another task has that one. */
	playback: AudioFile.nullable(),
	ai: AudioFile.nullable(),
	/** Where another task makes the segments. */
	filesOnly: z.boolean().default(false),
})

const StillsSpec = z.object({
	kind: z.literal('stills'),
	video: VideoInfo,
	prepare: Preparation,
	fps: Rational,
	durationSec: z.number().positive(),
	poster: z.object({ width: z.int().positive(), height: z.int().positive() }),
	/** A few moments of the video, moving. */
	preview: z.object({ width: z.int().positive(), height: z.int().positive() }),
	/** When no chunk is decoded that could yield it on the way. Several sheets of `tilesPerSheet` each. */
	storyboard: Storyboard.extend({ tilesPerSheet: z.int().positive(), frames: z.int().positive() }).nullable(),
})

/** Put segments that are there together to one plain MP4. */
const DownloadSpec = z.object({
	kind: z.literal('download'),
	rung: RungId,
	fps: Rational,
	/** Objects in order, beginning with the init segment; read by presigned addresses. */
	video: z.array(z.url()).max(100_000),
	audio: z.array(z.url()).max(100_000),
})

export const TaskSpec = z.discriminatedUnion('kind', [
	FetchSpec,
	InspectSpec,
	RemuxSpec,
	VideoSpec,
	AudioSpec,
	StillsSpec,
	DownloadSpec,
])
export type TaskSpec = z.infer<typeof TaskSpec>
export type TaskKind = TaskSpec['kind']
export type TaskSpecOf<K extends TaskKind> = Extract<TaskSpec, { kind: K }>

/** An object the task has stored, by its name within the task's own prefix. */
export const StoredObject = z.object({
	name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,60}(\/[a-z0-9][a-z0-9-]{0,60})?\.[a-z0-9]{2,5}$/),
	bytes: z.int().nonnegative(),
})
export type StoredObject = z.infer<typeof StoredObject>

/** `<rung or track>/<number>.m4s`, `<rung or track>/init.mp4`. */
export const segmentName = (id: string, number: number): string => `${id}/${number}.m4s`
export const initName = (id: string): string => `${id}/init.mp4`

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)

/** What playlists need to know of a rung or track: measured, not assumed. */
const Stream = z.object({
	init: z.object({ bytes: z.int().positive(), sha256: Sha256 }),
	/** As `CODECS` has it: `avc1.640028`. Playlists hold it between quotes, which they cannot escape. */
	codecs: z.string().regex(/^[A-Za-z0-9]{4}(\.[A-Za-z0-9]{1,16}){0,11}$/),
})

export const VideoSegment = z.object({
	bytes: z.int().positive(),
	frames: z.int().positive(),
	/** From the segment's begin to the end of its first frame: what a trick-play fetches. */
	keyBytes: z.int().positive(),
})

const RungResult = Stream.extend({
	id: RungId,
	encoder: EncoderName.or(z.literal('copy')),
	width: z.int().positive(),
	height: z.int().positive(),
	segments: z.array(VideoSegment).min(1).max(100_000),
})
export type RungResult = z.infer<typeof RungResult>

const Sheet = StoredObject.extend({
	columns: z.int().positive(),
	rows: z.int().positive(),
	tiles: z.int().positive(),
})

/** What it took, for people who run the fleet. */
const Effort = z.object({
	/** Seconds of work, without waiting for a lease. */
	workSec: z.number().nonnegative(),
	/** Seconds of video or sound gone through. */
	mediaSec: z.number().nonnegative(),
	hwAccelUsed: z.boolean(),
	/** What was not as planned but went well all the same: a fall-back, with its reason. */
	notes: z.array(z.string().max(500)).max(20),
})

/**
 * Etags without the quotes that HTTP writes around them: stores take parts back by what is inside. Printable, and
 * nothing that XML would take for its own.
 */
const Etag = z.string().regex(/^[!#-%'-;=?-~]{1,200}$/)
const Multipart = z.array(z.object({ partNumber: z.int().min(1).max(10_000), etag: Etag }))

const results = {
	fetch: z.object({
		kind: z.literal('fetch'),
		sizeBytes: z.int().positive(),
		parts: Multipart.min(1).max(10_000),
	}),
	inspect: z.object({ kind: z.literal('inspect'), info: MediaInfo }),
	remux: z.object({ kind: z.literal('remux'), rung: RungResult }),
	video: z.object({
		kind: z.literal('video'),
		frames: z.int().positive(),
		rungs: z.array(RungResult).min(1).max(24),
		sheet: Sheet.nullable(),
	}),
	audio: z.object({
		kind: z.literal('audio'),
		tracks: z
			.array(
				Stream.extend({
					id: AudioTrack.shape.id,
					sampleRate: z.int().positive(),
					channels: z.int().positive(),
					segments: z
						.array(z.object({ bytes: z.int().positive(), samples: z.int().positive() }))
						.min(1)
						.max(100_000),
				}),
			)
			.max(32),
		playback: StoredObject.nullable(),
		ai: StoredObject.nullable(),
	}),
	stills: z.object({
		kind: z.literal('stills'),
		poster: StoredObject,
		preview: StoredObject,
		sheets: z.array(Sheet).max(1_000),
	}),
	download: z.object({ kind: z.literal('download'), file: StoredObject, parts: Multipart.max(10_000) }),
}

export const TaskResult = z.discriminatedUnion('kind', [
	results.fetch.extend(Effort.shape),
	results.inspect.extend(Effort.shape),
	results.remux.extend(Effort.shape),
	results.video.extend(Effort.shape),
	results.audio.extend(Effort.shape),
	results.stills.extend(Effort.shape),
	results.download.extend(Effort.shape),
])
export type TaskResult = z.infer<typeof TaskResult>
export type TaskResultOf<K extends TaskKind> = Extract<TaskResult, { kind: K }>
