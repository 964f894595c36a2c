import type { Cue } from '../captions/cues.ts'

/** `id` is stable while the list is. */
export type Choice = { id: number; label: string }
export type CaptionTrack = Choice & { language: string | undefined }

/** Why the video does not play. The engine recovers from the first three by itself. */
export type Problem = 'reconnecting' | 'missing' | 'changing-codec' | 'expired' | 'failed'

/** How the player handled a missing segment: it skipped the segment, or played it without sound. */
export type Hole = 'skipped' | 'silent'

export type EngineEvents = {
	/** Whether the viewer wants playback. Errors pause the video, too. */
	wantsToPlay(): boolean
	/** The qualities, audio or caption tracks changed, or another quality plays. */
	onTracks(): void
	/** Captions of a track, in any order. Some may come twice. */
	onCues(track: CaptionTrack, cues: Cue[]): void
	onProblem(problem: Problem | null): void
	onHole(hole: Hole): void
}

/** Of the quality that is shown. The size is 0 for audio, and the bitrate in bits per second. */
export type Rendition = { width: number; height: number; bitrate: number }

export type Scrubber = { showAt(sec: number): void; destroy(): void }

export type Engine = {
	/** Starts loading at the position, once. With `canBeLow`, uses the lowest quality if it was preloaded. */
	load(canBeLow: boolean): void
	isLoading(): boolean
	/** Requests the first segment of the lowest quality when enough of the player is visible. */
	preloadLowest(root: HTMLElement): void
	/** Whether the lowest quality was requested at the position. */
	hasLowest(): boolean
	/** Only after `load`. */
	seek(sec: number): void
	/** Called before each play: enables the full buffer, and retries after a failure. */
	expectPlay(): void
	qualities(): Choice[]
	/** The id of the chosen quality, or -1 for automatic. */
	quality(): number
	/** The label of the quality that plays, or null. */
	playingQuality(): string | null
	setQuality(id: number): void
	/** The quality that is shown; null if unknown. */
	rendition(): Rendition | null
	/** Frames per second of the quality that is shown, or of any, before one is; null if unknown. */
	frameRate(): number | null
	/** How many milliseconds of video were loaded from the network, by the shorter side of their quality in pixels. */
	loadedMs(): ReadonlyMap<number, number>
	/** A short code of the newest error, or null. */
	errorCode(): string | null
	audioTracks(): Choice[]
	audioTrack(): number
	setAudioTrack(id: number): void
	captionTracks(): CaptionTrack[]
	/** The id of the chosen track, or -1. */
	captionTrack(): number
	setCaptionTrack(id: number): void
	/** Null if there are no I-frame playlists. `frame` is for the scrubber alone. */
	createScrubber(frame: HTMLVideoElement): Scrubber | null
	bandwidth(): number
	/** The absolute URL of the master playlist, with the newest token. */
	manifestUrl(): string
	/** Requests everything with this token from now on. */
	renewToken(token: string): void
	/** Reloads the list of renditions, and continues at the same position with the same choices. */
	refresh(): void
	retry(): void
}
