import type { TaskKind, VideoCodec } from '#schema/contract/video/tasks.ts'

export type AdditionalCodec = Exclude<VideoCodec, 'h264'>

type Ranked = { rank: number }

/** Larger than the number of chunks of any video. */
const TIER = 1_000_000

/**
 * Ranks form tiers: first what makes videos playable, then downloads, speech and clips, then additional codecs, by player
 * support.
 */
export const tiers = { playable: 0, downloads: 1, hevc: 2, av1: 3 } as const
type Tier = (typeof tiers)[keyof typeof tiers]

export const computeRank = (tier: Tier, place: number): number => tier * TIER + place

const tierOf = ({ rank }: Ranked): number => Math.floor(rank / TIER)

/** After all downloads of a video, before its additional codecs. */
export const SPEECH_RANK = computeRank(tiers.downloads, TIER / 2)

/** After the recognition of its speech. */
export const CLIP_RANK = SPEECH_RANK + TIER / 4

/** Before other tasks of the same tier, because a person waits for the image. */
export const POSTER_RANK = computeRank(tiers.downloads, 0)

/** Kinds that no job waits for: they start after publishing, and their failure affects nothing else. */
export const kindsAfterJob = [
	'download',
	'speech-plan',
	'transcribe',
	'clip',
	'poster',
] as const satisfies readonly TaskKind[]
export const isAfterJob = (kind: TaskKind): boolean => kindsAfterJob.some((each) => each === kind)

/** The video is not whole until these tasks are done. */
export const isForPlayback = (task: Ranked): boolean => tierOf(task) === tiers.playable

/** Returns the additional codec of a task, or null for a task that every job requires. */
export function findAdditionalCodec(task: Ranked): AdditionalCodec | null {
	const tier = tierOf(task)
	return tier === tiers.hevc ? 'hevc' : tier === tiers.av1 ? 'av1' : null
}

/** Returns the first and the last rank of the tier that contains the rank. */
export function computeTierRange(rank: number): [number, number] {
	const first = tierOf({ rank }) * TIER
	return [first, first + TIER - 1]
}
