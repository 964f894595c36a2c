import { z } from 'zod'
import { ThumbHash } from '../kit/fields.ts'
import { AudioInfo, MediaInfo, Rational, VideoInfo } from './media-info.ts'
import { QualityName, RungId } from './quality.ts'

/**
 * The specifications of tasks and their results. Times are counted in frames of a constant grid or in samples, never in
 * seconds, which would need rounding.
 */

export const VideoCodec = z.enum(['h264', 'hevc', 'av1'])
export type VideoCodec = z.infer<typeof VideoCodec>

/** The name of an encoder in ffmpeg. The list is open, because a newer daemon may have encoders that this edge never uses. */
export const EncoderName = z.string().regex(/^[a-z0-9_]{1,40}$/)

/** A step of the ladder with its encoder settings. */
export const Rung = z.object({
	id: RungId,
	quality: QualityName,
	codec: VideoCodec,
	/** All chunks of a rung must come from one encoder, or they would not fit together. */
	encoder: EncoderName,
	width: z.int().positive(),
	height: z.int().positive(),
	crf: z.number().min(0).max(63),
	maxKbps: z.int().positive(),
	/** A name or number, depending on the encoder. */
	preset: z.string().regex(/^[a-z0-9]{1,20}$/),
})
export type Rung = z.infer<typeof Rung>

/** The time at which every presentation starts. Leaves room for frames that are decoded earlier than they are shown. */
export const START_OFFSET_SEC = 1

/** The filters that run before scaling, in this order. */
export const Preparation = z.object({ deinterlace: z.boolean(), toneMap: z.boolean() })

/** The layout of a sheet of thumbnails for seeking. */
export const Storyboard = z.object({
	everyFrames: z.int().positive(),
	tileWidth: z.int().positive(),
	tileHeight: z.int().positive(),
	columns: z.int().positive().max(20),
})
export type Storyboard = z.infer<typeof Storyboard>

/** Downloads an imported source into the vault. */
const FetchSpec = z.object({
	kind: z.literal('fetch'),
	url: z.string().max(2_048),
	maxBytes: z.int().positive(),
})

const InspectSpec = z.object({ kind: z.literal('inspect'), maxDurationSec: z.number().positive() })

/** Cuts the source into segments without encoding. */
const RemuxSpec = z.object({
	kind: z.literal('remux'),
	video: VideoInfo,
	rung: RungId,
	fps: Rational,
	/** Frames at which segments begin; the first is 0. */
	cuts: z.array(z.int().nonnegative()).min(1).max(100_000),
})

/** Decodes one chunk of the source once and encodes it for every rung. */
const VideoSpec = z.object({
	kind: z.literal('video'),
	video: VideoInfo,
	prepare: Preparation,
	fps: Rational,
	firstFrame: z.int().nonnegative(),
	/** null means up to the end of the source. */
	frames: z.int().positive().nullable(),
	/** Frames of the whole video at which segments begin; the first is `firstFrame`. */
	cuts: z.array(z.int().nonnegative()).min(1).max(10_000),
	/** The number in the name of the first segment. */
	firstSegment: z.int().nonnegative(),
	/** Largest first. */
	rungs: z.array(Rung).min(1).max(24),
	/** A sheet of this chunk, from the same decode. */
	storyboard: Storyboard.nullable(),
})

/** Samples per access unit of AAC, which can't be divided. */
export const UNIT_SAMPLES = 1_024

export const AudioTrack = z.object({
	/** `a0`, `a1`, …; the name of its folder in storage. */
	id: z.string().regex(/^a\d{1,2}$/),
	source: AudioInfo,
	bitrateKbps: z.int().min(16).max(512),
	sampleRate: z.int().min(8_000).max(96_000),
	channels: z.int().min(1).max(2),
	/** Whether to copy the track from the source. The machine encodes the track if it can't be cut into segments. */
	isCopied: z.boolean().default(false),
})
export type AudioTrack = z.infer<typeof AudioTrack>

/** An audio file, for listeners or for speech recognition. */
const AudioFile = z.object({
	codec: z.enum(['aac', 'opus', 'flac']),
	bitrateKbps: z.int().positive().nullable(),
	sampleRate: z.int().positive(),
	channels: z.int().min(1).max(2),
	normalize: z.boolean(),
})
export type AudioFile = z.infer<typeof AudioFile>

/** The fraction by which the bitrate of a copied track may differ from the requested one. */
const BITRATE_TOLERANCE = 0.1

/** Checks whether an audio file has the settings of a track, so that it can use the track's samples without encoding. */
export function canCopyTrack(
	track: AudioTrack,
	{ codec, bitrateKbps, sampleRate, channels, normalize }: AudioFile,
): boolean {
	if (codec !== 'aac' || bitrateKbps === null || normalize) return false
	if (sampleRate !== track.sampleRate || channels !== track.channels) return false
	if (!track.isCopied) return bitrateKbps === track.bitrateKbps
	return Math.abs((track.source.bitrateKbps ?? 0) / bitrateKbps - 1) <= BITRATE_TOLERANCE
}

/** One byte each; in base64 at most 4 kB. */
const MAX_PEAKS = 3_000

/** Loudness over time in base64: a byte for each equal part of the audio, 255 for the loudest part. */
const Peaks = z.string().regex(/^(?:[A-Za-z0-9+/]{4}){0,1000}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/)

const AudioSpec = z.object({
	kind: z.literal('audio'),
	tracks: z.array(AudioTrack).min(1).max(32),
	/** Target length of the segments, equal to that of the video segments; whole audio frames only come near it. */
	segment: Rational.meta({ description: 'Seconds' }),
	/** The length to trim or pad to, so that audio and video end together. null keeps the length of the source. */
	durationSec: z.number().positive().nullable(),
	/** An audio file of the default track; null if another task makes it. */
	playback: AudioFile.nullable(),
	ai: AudioFile.nullable(),
	/** True if another task makes the segments. */
	filesOnly: z.boolean().default(false),
	/** How many peaks to measure in the default track, for a waveform; missing for none. */
	peaks: z.int().positive().max(MAX_PEAKS).optional(),
})

const StillsSpec = z.object({
	kind: z.literal('stills'),
	video: VideoInfo,
	prepare: Preparation,
	fps: Rational,
	durationSec: z.number().positive(),
	poster: z.object({ width: z.int().positive(), height: z.int().positive() }),
	/** The animated preview. */
	preview: z.object({ width: z.int().positive(), height: z.int().positive() }),
	/** Set if no video task decodes the source and makes the sheets. Several sheets of `tilesPerSheet` each. */
	storyboard: Storyboard.extend({ tilesPerSheet: z.int().positive(), frames: z.int().positive() }).nullable(),
})

/** Joins existing segments into one plain MP4. */
const DownloadSpec = z.object({
	kind: z.literal('download'),
	rung: RungId,
	fps: Rational,
	/** Presigned URLs of the init segment and the media segments, in order. */
	video: z.array(z.url()).max(100_000),
	audio: z.array(z.url()).max(100_000),
})

/** The name of a speech engine: of its program, or `url`. */
export const SpeechEngineName = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,39}$/)
/** A language tag in lowercase, of which recognizers know only the first part. */
export const SpokenLanguage = z.string().regex(/^[a-z]{2,3}(-[a-z0-9]{2,8})*$/)

/** Finds speech in the source, and cuts its sound into chunks for recognition. */
const SpeechPlanSpec = z.object({
	kind: z.literal('speech-plan'),
	track: AudioTrack,
	durationSec: z.number().positive(),
	/** The length of a chunk; it ends in the longest silence between the two. */
	chunkSec: z.object({ min: z.number().positive(), max: z.number().positive() }),
})

/** Recognizes the speech of one chunk. */
const TranscribeSpec = z.object({
	kind: z.literal('transcribe'),
	engine: SpeechEngineName,
	/** null if the engine detects it. */
	language: SpokenLanguage.nullable(),
	durationSec: z.number().positive(),
	/** Presigned URL of the chunk: FLAC, 16 kHz, mono. */
	audio: z.url(),
})

/** Clips are short, and made in one piece. */
export const MAX_CLIP_SEC = 120

/** Makes an exact part of a video out of its segments, as one file that is MP4 and HLS at once. */
const ClipSpec = z.object({
	kind: z.literal('clip'),
	/** The rung whose segments are read, with the encoder for the clip; null for audio without video. */
	rung: Rung.nullable(),
	/** Of the video; milliseconds (1000) for audio without video. */
	fps: Rational,
	firstFrame: z.int().nonnegative(),
	frames: z.int().positive(),
	/** Presigned URLs of the init segment and of the media segments that contain these frames, in order. */
	video: z.array(z.url()).max(1_000),
	audio: z.array(z.url()).max(1_000),
})

/** Makes an image of one frame of a video out of the segment that contains the frame. */
const PosterSpec = z.object({
	kind: z.literal('poster'),
	/** What the caller asked for; `frame` is shown at that moment. */
	atSec: z.number().nonnegative(),
	fps: Rational,
	frame: z.int().nonnegative(),
	width: z.int().positive(),
	height: z.int().positive(),
	/** Presigned URLs of the init segment and of the media segment. */
	video: z.array(z.url()).max(2),
})

export const TaskSpec = z.discriminatedUnion('kind', [
	FetchSpec,
	InspectSpec,
	RemuxSpec,
	VideoSpec,
	AudioSpec,
	StillsSpec,
	DownloadSpec,
	SpeechPlanSpec,
	TranscribeSpec,
	ClipSpec,
	PosterSpec,
])
export type TaskSpec = z.infer<typeof TaskSpec>
export type TaskKind = TaskSpec['kind']
export type TaskSpecByKind<K extends TaskKind> = Extract<TaskSpec, { kind: K }>

/** An object that the task stored; the name is relative to the prefix of the task. */
export const StoredObject = z.object({
	name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,60}(\/[a-z0-9][a-z0-9-]{0,60})?\.[a-z0-9]{2,5}$/),
	bytes: z.int().nonnegative(),
})
export type StoredObject = z.infer<typeof StoredObject>

export const formatSegmentName = (id: string, number: number): string => `${id}/${number}.m4s`
export const formatInitName = (id: string): string => `${id}/init.mp4`

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)

/** The measured properties of a rung or track that playlists contain. */
const Stream = z.object({
	init: z.object({ bytes: z.int().positive(), sha256: Sha256 }),
	/** The value for `CODECS` in playlists, such as `avc1.640028`. Playlists quote it and can't escape quotes. */
	codecs: z.string().regex(/^[A-Za-z0-9]{4}(\.[A-Za-z0-9]{1,16}){0,11}$/),
})

export const VideoSegment = z.object({
	bytes: z.int().positive(),
	frames: z.int().positive(),
	/** Bytes from the start of the segment to the end of its first frame, which trick play fetches. */
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

const Millis = z.int().nonnegative().max(200_000_000)

/** A part of the sound, whose speech is recognized alone. */
export const SpeechChunk = z.object({
	file: StoredObject,
	/** What the file contains, in milliseconds of the video. */
	fromMs: Millis,
	toMs: Millis,
	/** The words that count begin here and end there; the rest overlaps the neighbours. */
	startMs: Millis,
	endMs: Millis,
})
export type SpeechChunk = z.infer<typeof SpeechChunk>

/** Text that a recognizer wrote. */
const SpokenText = z.string().max(2_000)
const SpokenSec = z.number().nonnegative().max(200_000)
export const SpokenWord = z.object({ word: z.string().max(200), start: SpokenSec, end: SpokenSec })
export type SpokenWord = z.infer<typeof SpokenWord>

/** Times are seconds from the beginning of the chunk. */
export const SpokenSegment = z.object({
	start: SpokenSec,
	end: SpokenSec,
	text: SpokenText,
	/** Empty if the engine has no times of words. */
	words: z.array(SpokenWord).max(2_000),
})
export type SpokenSegment = z.infer<typeof SpokenSegment>

/** Statistics for the operator. */
const Effort = z.object({
	/** Seconds of work, without waiting for tasks. */
	workSec: z.number().nonnegative(),
	/** Seconds of video or audio processed. */
	mediaSec: z.number().nonnegative(),
	hwAccelUsed: z.boolean(),
	/** Fallbacks that the machine used, with their reasons. */
	notes: z.array(z.string().max(500)).max(20),
})

/** Without quotes. Characters that XML would have to escape are not allowed, as a request to join parts is XML. */
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
		/** The frames of the chunk at which another shot begins, in ascending order; missing if nothing looked for them. */
		shots: z.array(z.int().positive()).max(5_000).optional(),
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
		/** Missing from daemons that measure none. */
		peaks: Peaks.optional(),
	}),
	stills: z.object({
		kind: z.literal('stills'),
		poster: StoredObject,
		preview: StoredObject,
		/** Shown until the poster is loaded. null from daemons that make none. */
		placeholder: ThumbHash.nullable().default(null),
		sheets: z.array(Sheet).max(1_000),
	}),
	download: z.object({ kind: z.literal('download'), file: StoredObject, parts: Multipart.max(10_000) }),
	'speech-plan': z.object({
		kind: z.literal('speech-plan'),
		/** Empty if nobody speaks. */
		chunks: z.array(SpeechChunk).max(1_000),
		/** Begin and end of each run of speech, in milliseconds. */
		speech: z.array(z.tuple([Millis, Millis])).max(20_000),
		/** The level of the background and of speech, in decibels below full scale. */
		loudness: z.object({ noiseDb: z.number().min(-120).max(0), speechDb: z.number().min(-120).max(0) }),
	}),
	clip: z.object({
		kind: z.literal('clip'),
		/** A fragmented MP4 with video and audio. Its playlist lists byte ranges. */
		file: StoredObject,
		/** A frame from the middle; null without video. */
		poster: StoredObject.nullable(),
		initBytes: z.int().positive(),
		/** Ticks per second of the segments. */
		timescale: z.int().positive(),
		/** In order, without gaps: together with the init segment they are the whole file. */
		segments: z
			.array(z.object({ bytes: z.int().positive(), ticks: z.int().positive() }))
			.min(1)
			.max(MAX_CLIP_SEC),
	}),
	poster: z.object({ kind: z.literal('poster'), poster: StoredObject }),
	transcribe: z.object({
		kind: z.literal('transcribe'),
		/** The detected or requested language. */
		language: SpokenLanguage.nullable(),
		segments: z.array(SpokenSegment).max(5_000),
	}),
}

export const TaskResult = z.discriminatedUnion('kind', [
	results.fetch.extend(Effort.shape),
	results.inspect.extend(Effort.shape),
	results.remux.extend(Effort.shape),
	results.video.extend(Effort.shape),
	results.audio.extend(Effort.shape),
	results.stills.extend(Effort.shape),
	results.download.extend(Effort.shape),
	results['speech-plan'].extend(Effort.shape),
	results.transcribe.extend(Effort.shape),
	results.clip.extend(Effort.shape),
	results.poster.extend(Effort.shape),
])
export type TaskResult = z.infer<typeof TaskResult>
export type TaskResultByKind<K extends TaskKind> = Extract<TaskResult, { kind: K }>
