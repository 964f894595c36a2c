import { type SQL, sql } from 'drizzle-orm'
import type { VideoCodec } from '#schema/contract/tasks.ts'
import type { TaskRow } from './claim-store.ts'

export type AdditionalCodec = Exclude<VideoCodec, 'h264'>

/** More than any video has chunks. */
const TIER = 1_000_000

/**
 * Ranks go in tiers: of all that waits, first what makes videos playable, then the files to download, then the codecs
 * that nobody waits for, the one that more players know before the other.
 */
export const tiers = { playable: 0, downloads: 1, hevc: 2, av1: 3 } as const
type Tier = (typeof tiers)[keyof typeof tiers]

export const rankIn = (tier: Tier, place: number): number => tier * TIER + place

const tierOf = ({ rank }: Pick<TaskRow, 'rank'>): number => Math.floor(rank / TIER)

/** Nothing is whole before it is done. */
export const isForPlayback = (task: Pick<TaskRow, 'rank'>): boolean => tierOf(task) === tiers.playable

/** The codec beside H.264 that a task is made for; null for what has to be there in any case. */
export function additionalCodecOf(task: Pick<TaskRow, 'rank'>): AdditionalCodec | null {
	const tier = tierOf(task)
	return tier === tiers.hevc ? 'hevc' : tier === tiers.av1 ? 'av1' : null
}

/** Of a row of `tasks` under that name. */
export const isInTier = (task: string, rank: number): SQL =>
	sql`${sql.raw(task)}.rank between ${tierOf({ rank }) * TIER} and ${(tierOf({ rank }) + 1) * TIER - 1}`
