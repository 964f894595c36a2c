import { type SQL, sql } from 'drizzle-orm'
import type { VideoCodec } from '#schema/contract/video/tasks.ts'
import type { TaskRow } from './task-row.ts'

export type AdditionalCodec = Exclude<VideoCodec, 'h264'>

/** Larger than the number of chunks of any video. */
const TIER = 1_000_000

/**
 * Ranks form tiers: first what makes videos playable, then downloads, then additional codecs, by player support.
 */
export const tiers = { playable: 0, downloads: 1, hevc: 2, av1: 3 } as const
type Tier = (typeof tiers)[keyof typeof tiers]

export const rankIn = (tier: Tier, place: number): number => tier * TIER + place

const tierOf = ({ rank }: Pick<TaskRow, 'rank'>): number => Math.floor(rank / TIER)

/** The video is not whole until these tasks are done. */
export const isForPlayback = (task: Pick<TaskRow, 'rank'>): boolean => tierOf(task) === tiers.playable

/** Returns the additional codec of a task, or null for a task that every job requires. */
export function additionalCodecOf(task: Pick<TaskRow, 'rank'>): AdditionalCodec | null {
	const tier = tierOf(task)
	return tier === tiers.hevc ? 'hevc' : tier === tiers.av1 ? 'av1' : null
}

/** Returns the condition for a row of `tasks` under the given alias. */
export const isInTier = (task: string, rank: number): SQL =>
	sql`${sql.raw(task)}.rank between ${tierOf({ rank }) * TIER} and ${(tierOf({ rank }) + 1) * TIER - 1}`
