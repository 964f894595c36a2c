import type { PlayerMessages } from './player-messages.ts'
import type { WatchMessages } from './watch-messages.ts'

export const PLAYER_LANGUAGES = [
	'ar',
	'de',
	'en',
	'es',
	'fa',
	'fr',
	'he',
	'hi',
	'id',
	'it',
	'ja',
	'ko',
	'nl',
	'pl',
	'pt',
	'ru',
	'sv',
	'tr',
	'uk',
	'zh',
] as const
export type PlayerLanguage = (typeof PLAYER_LANGUAGES)[number]

/** Normal speed is 1. */
export const SPEED_LIMITS = { min: 0.25, max: 2 } as const

/** What the address of the page requests; otherwise, the defaults of the organization. */
export type StartOptions = {
	startSec: number | null
	endSec: number | null
	autoplay: boolean
	/** Null for what the viewer chose before, and else what the organization wants. */
	muted: boolean | null
	mutedByDefault: boolean
	loop: boolean
	controls: boolean
	/** True for the language of the page, or a language tag. */
	captions: boolean | string
	/** Null for what the viewer chose before. */
	speed: number | null
	preload: 'none' | 'metadata' | 'auto'
	/** Whether the player reacts to keyboard shortcuts. */
	keys: boolean
	/** Whether the viewer is left out of the analytics. */
	preview: boolean
}

/** A small file that is part of the page, so that the player need not request it. */
export type EmbeddedFile = { text: string } | { base64: string }

export type Chapter = { title: string; startSec: number; endSec: number }

export type PlayableVideo = {
	playbackId: string
	/** The text over the video; null for none. */
	overlayTitle: string | null
	title: string
	durationSec: number
	chapters: Chapter[]
	isAudioOnly: boolean
	/** The waveform of audio without video, from 0 to 255; null if unknown. */
	peaks: number[] | null
	/** Paths on the origin of the page. */
	manifestPath: string
	/** Null for audio without a picture. */
	posterPath: string | null
	/** The logo of the organization, or null. */
	logoPath: string | null
	storyboardPath: string | null
	/** False while renditions are still being made. The player then polls for new ones. */
	isWhole: boolean
	/** Path of the media playlist to begin with, unless the player knows the bandwidth. */
	firstPlaylist: string | null
	/** Path of the media playlist of which the player loads the first segment before anybody plays. */
	lowestPlaylist: string | null
	/** The playlists and init segments that the player needs first, by their paths. */
	files: Record<string, EmbeddedFile>
}

/** What the watch page needs besides the player. */
export type WatchPage = {
	messages: WatchMessages
}

/** What viewers can share. Neither contains a token. */
export type ShareLinks = {
	/** The address of the watch page. */
	watchUrl: string
	/** The HTML that puts the player on another page; null for a signed video. */
	embedSnippet: string | null
}

/** The data block of a page with the player. The Worker writes it, the script of the page reads it. */
export type PlayerPage = {
	kind: 'embed' | 'watch'
	language: PlayerLanguage
	messages: PlayerMessages
	/** Identifies this page load in reports of viewers, and in the log of the Worker. */
	reportId: string
	start: StartOptions
	/** Why there is no video: it is not available, or it needs a valid token. */
	failure: 'unavailable' | 'expired' | null
	video: PlayableVideo | null
	/** Null without a video, and for a signed one in a frame, which has no address that others can open. */
	share: ShareLinks | null
	/** Only on the watch page. */
	watch: WatchPage | null
}

/** The id of the `<script type="application/json">` that holds the data block. */
export const PAGE_DATA_ID = 'player-page'
