import type { PlaybackState } from '#schema/contract/watch/analytics/playback-state.ts'
import type { PlayerKind } from '#schema/contract/watch/analytics/player-events.ts'
import type { Shard } from './shards/shards.ts'

/** Views by members of the organization, by programs, and beyond the limit of a network are counted apart. */
export type Audience = 'viewer' | 'member' | 'bot' | 'crowd'

/** Where a video is played. Nothing in it identifies a person. */
export type PlaybackPlace = {
	device: 'desktop' | 'phone' | 'tablet' | 'tv' | 'other'
	browser: string
	/** Two letters, or null. */
	country: string | null
	/** The host of the page around the player, or null. */
	referrer: string | null
	player: PlayerKind
}

/** The state of a session: as its player reports it, or derived from events of players without states. */
export type SessionState = PlaybackState & {
	/** How much was played at unknown positions. */
	unplacedMs?: number
	/** How long a picture of a known bitrate and an unknown size was shown: also a time base of `bitrateMs`. */
	unsizedMs?: number
}

/** One playback of a video by one player. */
export type PlaybackSession = {
	id: string
	/** When its first and newest reports arrived. */
	startedAt: number
	reportedAt: number
	audience: Audience
	/** 16 hexadecimal digits that are the same for one visitor during one day; null if nothing is counted by visitor. */
	visitor: string | null
	place: PlaybackPlace
	state: SessionState
}

/** The video and the part of its sessions that an object is for. */
export type SessionScope = {
	playbackId: string
	assetId: string
	orgId: string
	durationMs: number
	/** Whether its media is served by the Worker. */
	isSigned: boolean
	shard: Shard
}
