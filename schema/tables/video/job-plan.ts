import type { Rational } from '#schema/contract/video/media-info.ts'
import type { AudioFile, Rung, Storyboard } from '#schema/contract/video/tasks.ts'

/** The options known when a job is requested. Codecs and encoders are chosen when it is planned. */
export type RequestedOptions = {
	playback: AudioFile
	ai: AudioFile
	maxDurationSec: number
}

/** Why a source must be encoded instead of copied. Owners see these reasons. */
export type NonStandardReason =
	| 'video_codec'
	| 'video_profile'
	| 'pixel_format'
	| 'interlaced'
	| 'hdr'
	| 'rotation'
	| 'pixel_aspect_ratio'
	| 'resolution'
	| 'variable_frame_rate'
	| 'frame_rate'
	| 'gop_open'
	| 'gop_size'
	| 'keyframes_unknown'
	| 'start_time'
	| 'bitrate'

export type NamedTrack = { id: string; language: string | null; title: string | null; isDefault: boolean }

/** Stored with the job. Plan and task results together determine the playlists. */
export type JobPlan = {
	version: 1
	durationSec: number
	fps: Rational | null
	/** Rungs in descending quality, including a copied one; H.264 before other codecs. */
	rungs: (Pick<Rung, 'id' | 'quality' | 'codec' | 'width' | 'height'> & {
		copied: boolean
	})[]
	/** Chunks per encoded codec. Video task n encodes chunk n modulo this number. */
	chunks: number
	/** First frame and first segment of each chunk. */
	starts: { frame: number; segment: number }[]
	/** Layout of the sheets from chunks, or from the stills task if there are no chunks; null without video. */
	storyboard: Storyboard | null
	/** Empty for a video without audio; publishing then waits for none. */
	audioTracks: NamedTrack[]
	/** Why the source could not be copied; empty if it was. */
	nonStandardReasons: NonStandardReason[]
}
