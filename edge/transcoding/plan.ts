import type { z } from 'zod'
import type { MediaInfo, Rational } from '#schema/contract/media-info.ts'
import type { AudioFile, Rung, RungId, TaskSpec, VideoCodec } from '#schema/contract/tasks.ts'

/** What the organization and the fleet have to say about how a video is made. */
export type Wish = {
	/** H.264 always; others beside it. */
	codecs: readonly VideoCodec[]
	/** The encoder that makes each codec, for the whole job. */
	encoders: Readonly<Partial<Record<VideoCodec, string>>>
	playback: AudioFile
	ai: AudioFile
	maxDurationSec: number
}

export type PlannedTask = {
	/** Among those of its kind. */
	index: number
	/** The smaller comes first. */
	rank: number
	spec: TaskSpec
}

/** Stored with the job: all that the playlists need beside what the tasks report. */
export type Plan = {
	version: 1
	durationSec: number
	fps: Rational | null
	/** Rungs from the best to the least, the copied one among them. */
	rungs: (Pick<Rung, 'quality' | 'codec' | 'width' | 'height'> & {
		id: z.infer<typeof RungId>
		copied: boolean
	})[]
	chunks: number
	audioTracks: { id: string; language: string | null; title: string | null; isDefault: boolean }[]
	/** Why the source could not be copied; empty where it was. */
	nonStandardReasons: string[]
}

/** Nobody can make anything playable of it; the message is for its owner. */
export class UnplayableError extends Error {
	override name = 'UnplayableError'
}

export type PlanJob = (info: MediaInfo, wish: Wish) => { plan: Plan; tasks: PlannedTask[] }
