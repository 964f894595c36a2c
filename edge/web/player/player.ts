import type { PlayableVideo, PlayerPage } from '#schema/contract/watch/player-page.ts'
import { openEmitter } from '../parts/emitter.ts'
import type { Cue } from './captions/cues.ts'
import type { CaptionTrack, Engine, Problem } from './playback/engine-types.ts'
import { type EarlySegments, requestEarlySegments } from './playback/first-segments/early-segments.ts'
import { repeatDroppedEvents, setSpeed } from './playback/media-settings.ts'
import { hasMediaSource, openEngine } from './playback/open-engine.ts'
import { hasMedia, trackPosition } from './playback/position.ts'
import type { PreferenceStore } from './preferences.ts'

export type PlayerEvents = {
	/** The engine is there, or its qualities or audio tracks changed. */
	tracks: undefined
	problem: Problem | null
	cues: { track: CaptionTrack; cues: Cue[] }
	/** Playback was requested for the first time. */
	started: undefined
	/** The browser allowed only muted playback. */
	mutedByBrowser: undefined
	/** The browser requires a click for playback. */
	refused: undefined
	/** For screen readers and, briefly, over the video: the icon if there is one, else the text. */
	announce: { text: string; icon: string | undefined }
	/** The number of current viewers; null if unknown or hidden. */
	live: number | null
}

export type Player = ReturnType<typeof openPlayer>

/** The video may be paused a moment before `end`, and is at the end then. */
const END_TOLERANCE_SEC = 0.05
/** The last frame ends slightly before the duration, and browsers wait forever for the rest. */
const END_MARGIN_SEC = 0.25
/** Resuming is offered only between these two positions. */
const RESUME_MIN_SEC = 10
const RESUME_MAX_SHARE = 0.95

/** Opens a page's player: loads the engine on demand, and plays, pauses and seeks. */
export function openPlayer(
	page: PlayerPage,
	video: PlayableVideo,
	root: HTMLElement,
	media: HTMLVideoElement,
	preferences: PreferenceStore,
) {
	const { start } = page
	const emitter = openEmitter<PlayerEvents>()
	let engine: Engine | null = null
	let opening: Promise<Engine> | null = null
	let hasStarted = false
	let requestedToken: string | null = null
	/** The engine takes its segments from here. */
	const early: EarlySegments = new Map()
	const duration = (): number =>
		Number.isFinite(media.duration) && media.duration > 0 ? media.duration : video.durationSec
	const withinVideo = (sec: number): number => Math.max(0, Math.min(sec, duration() - END_MARGIN_SEC))

	const startSec = start.startSec ?? hashSec() ?? 0
	const position = trackPosition(media)
	position.set(withinVideo(startSec))
	/** Incremented by each play and pause, so that a play that waited for the engine knows it is stale. */
	let intent = 0
	let isStarting = false
	let wantsToPlay = false
	let isLooping = false
	let liveCount: number | null = null

	const setLoop = (isOn: boolean) => {
		isLooping = isOn
		// The browser loops a whole video seamlessly; a partial loop is handled here.
		media.loop = isOn && start.endSec === null && startSec === 0
	}
	setLoop(start.loop)
	const stored = preferences.read()
	const isMuted = start.muted ?? stored.muted ?? start.mutedByDefault
	media.muted = isMuted
	media.volume = stored.volume ?? 1
	setSpeed(media, start.speed ?? stored.speed ?? 1)
	repeatDroppedEvents(media)

	/** Loads the engine, once. It requests no media. */
	const prepare = (): Promise<Engine> => {
		opening ??= openEngine({
			media,
			video,
			position,
			bandwidth: preferences.bandwidth(),
			early,
			events: {
				wantsToPlay: () => wantsToPlay,
				onTracks: () => emitter.emit('tracks', undefined),
				onProblem: (problem) => emitter.emit('problem', problem),
				onHole: (hole) =>
					emitter.emit('announce', {
						text: hole === 'silent' ? page.messages.silentPart : page.messages.skippedPart,
						icon: undefined,
					}),
				onCues: (track, cues) => emitter.emit('cues', { track, cues }),
			},
		}).then((opened) => {
			engine = opened
			if (requestedToken !== null) opened.renewToken(requestedToken)
			emitter.emit('problem', null)
			emitter.emit('tracks', undefined)
			return opened
		})
		opening.catch(() => {
			opening = null
		})
		return opening
	}

	/** Skipped if an earlier visit stored the bandwidth: the engine may then start with another quality. */
	const requestFirst = () => {
		if (engine?.isLoading() || preferences.bandwidth() !== null || !hasMediaSource()) return
		void requestEarlySegments(early, video, video.firstPlaylist, position.sec())
	}

	/** Loads the first segment, so that playing can begin at once. */
	const preload = async (): Promise<void> => {
		const preparing = prepare()
		const canHover = matchMedia('(hover: hover)').matches
		if (canHover || !engine?.hasLowest()) requestFirst()
		const opened = await preparing
		// Meanwhile, a click begins with the lowest quality.
		if (canHover && opened.hasLowest()) await Promise.all(early.values())
		opened.load(!canHover)
	}

	const play = async (): Promise<void> => {
		const own = ++intent
		isStarting = true
		wantsToPlay = true
		try {
			await startPlaying(() => own !== intent)
		} finally {
			if (own === intent) isStarting = false
		}
	}

	const startPlaying = async (isOutOfDate: () => boolean): Promise<void> => {
		if (!hasStarted) {
			hasStarted = true
			emitter.emit('started', undefined)
		}
		// Some browsers only allow a later play() if the first one comes within the click.
		if (!engine) media.play().catch(() => undefined)
		const preparing = prepare()
		if (!engine?.hasLowest()) requestFirst()
		const opened = await preparing.catch(() => null)
		if (!opened) return explainMissingEngine(isOutOfDate)
		opened.expectPlay()
		if (isOutOfDate()) return
		if (media.ended || isAtEnd()) seek(startSec)
		opened.load(true)
		await media.play()
		preferences.allowStorage()
	}

	/** A device without a connection loads the engine once it has one. */
	const explainMissingEngine = (isOutOfDate: () => boolean): void => {
		emitter.emit('problem', navigator.onLine ? 'failed' : 'reconnecting')
		if (navigator.onLine) return
		const tryAgain = () => {
			if (isOutOfDate()) emitter.emit('problem', null)
			else void play().catch(() => undefined)
		}
		window.addEventListener('online', tryAgain, { once: true })
	}

	const pause = (): void => {
		intent++
		isStarting = false
		wantsToPlay = false
		media.pause()
	}

	const isAtEnd = () => start.endSec !== null && media.currentTime >= start.endSec - END_TOLERANCE_SEC

	/** Autoplays: falls back to muted playback, and then to waiting for a click. */
	const autoplay = async (): Promise<void> => {
		try {
			await play()
		} catch (error) {
			if (!isRefusal(error)) return
			if (!media.muted) {
				media.muted = true
				try {
					await media.play()
					return emitter.emit('mutedByBrowser', undefined)
				} catch {
					media.muted = isMuted
				}
			}
			hasStarted = false
			emitter.emit('refused', undefined)
		}
	}

	const seek = (sec: number): void => {
		position.set(withinVideo(sec))
		if (engine?.isLoading()) engine.seek(position.sec())
		// Without media, the browser doesn't say that the position changed.
		if (!hasMedia(media)) media.dispatchEvent(new Event('timeupdate'))
	}

	media.addEventListener('timeupdate', () => {
		if (!isAtEnd() || media.paused) return
		if (isLooping) return seek(startSec)
		pause()
	})
	media.addEventListener('pause', () => {
		// The browser or another program paused it. A decoder error also pauses, and its event may arrive after playback
		// has resumed.
		if (media.paused && !media.error) wantsToPlay = false
	})
	media.addEventListener('ended', () => {
		if (isLooping && !media.loop) void play().catch(() => undefined)
	})
	media.addEventListener('volumechange', () =>
		preferences.change({ volume: media.volume, muted: media.muted }),
	)
	media.addEventListener('ratechange', () => preferences.change({ speed: media.playbackRate }))
	const storePosition = () => {
		const sec = position.sec()
		const isMiddle = sec > RESUME_MIN_SEC && sec < duration() * RESUME_MAX_SHARE
		preferences.setPosition(video.playbackId, isMiddle ? Math.floor(sec) : null)
		if (engine) preferences.change({ bandwidth: { value: Math.round(engine.bandwidth()), at: Date.now() } })
	}
	media.addEventListener('pause', storePosition)
	media.addEventListener('ended', storePosition)
	// Also of a paused video: its event may still be on its way.
	window.addEventListener('pagehide', () => {
		if (hasStarted) storePosition()
	})

	return {
		page,
		video,
		root,
		media,
		preferences,
		on: emitter.on,
		announce: (text: string, icon?: string) => emitter.emit('announce', { text, icon }),
		showLive(count: number | null) {
			if (count === liveCount) return
			liveCount = count
			emitter.emit('live', count)
		},
		engine: () => engine,
		hasStarted: () => hasStarted,
		wantsToPlay: () => wantsToPlay,
		prepare,
		preload,
		play,
		autoplay,
		playFrom(sec: number) {
			seek(sec)
			void play().catch(() => undefined)
		},
		pause,
		toggle: () => {
			if (!isStarting && (media.paused || media.ended)) void play().catch(() => undefined)
			else pause()
		},
		seek,
		isLooping: () => isLooping,
		setLoop,
		duration,
		currentTime: position.sec,
		/** The position of an earlier visit, or null. An explicit start takes precedence. */
		resumeSec: () =>
			start.startSec === null && hashSec() === null ? preferences.position(video.playbackId) : null,
		/** The newest token of a signed video, or null. */
		token: () => requestedToken ?? new URLSearchParams(location.search).get('token'),
		renewToken(token: string) {
			requestedToken = token
			engine?.renewToken(token)
		},
	}
}

/** Browsers throw this if a page may not play before a click. */
const isRefusal = (error: unknown): boolean =>
	error instanceof DOMException && error.name === 'NotAllowedError'

/** Reads the start of a media fragment, such as `#t=10,20`. */
function hashSec(): number | null {
	const [, text] = /^#t=(\d+(?:\.\d+)?)/.exec(location.hash) ?? []
	return text === undefined ? null : Number(text)
}
