import type { Player } from '../player.ts'
import { type Beats, startBeats } from './beats.ts'
import type { Happening, Moment } from './happenings.ts'
import { openPlaybackLog, type PlaybackLog } from './playback-log.ts'
import { postEvent, postOnLeaving } from './post-events.ts'
import { computeUpscale } from './upscale.ts'

/** Reports what happens in a player to the server. Returns the function that takes what happens. */
export function reportPlayback(player: Player): (moment: Moment) => void {
	const { media, page, video } = player
	/** The current event. It may precede the loading of this script. */
	let handled: Moment | null = null
	const now = () => handled?.at ?? performance.now()
	const sec = () => handled?.sec ?? player.currentTime()
	let log: PlaybackLog | null = null
	const record = (happening: Happening) => log?.record(happening, sec())
	const countNew = openCounters(player, record)
	const showRendition = () => {
		const rendition = player.engine()?.rendition()
		if (!rendition) return
		const { width, height, bitrate } = rendition
		// Qualities are named by their shorter side, which is the height unless the video is upright.
		record({
			kind: 'rendition',
			rendition: {
				height: Math.min(width, height) || null,
				bitrate: bitrate / 1_000,
				upscale: computeUpscale(media, rendition),
			},
		})
	}

	const beats: Beats = startBeats({
		playbackId: video.playbackId,
		player: page.kind,
		isPreview: page.start.preview,
		reportId: page.reportId,
		referrer: referrerOf(document.referrer),
		viewerToken: player.token,
		now: () => performance.now(),
		wallNow: Date.now,
		random: Math.random,
		schedule(callback, ms) {
			const timer = setTimeout(() => safely(callback), ms)
			return () => clearTimeout(timer)
		},
		newSessionId,
		isOnline: () => navigator.onLine,
		post: postEvent,
		postOnLeaving,
		openLog() {
			const opened = openPlaybackLog({
				now,
				sec: sec(),
				rate: media.playbackRate || 1,
			})
			log = opened
			if (!media.paused) record({ kind: 'play' })
			showRendition()
			return {
				idleMs: opened.idleMs,
				state() {
					countNew()
					return opened.state(sec())
				},
			}
		},
		onLive: player.showLive,
	})

	player.on('tracks', () => safely(showRendition))
	// The size and the density of the pixels change how far the picture is enlarged.
	new ResizeObserver(() => safely(showRendition)).observe(media)
	document.addEventListener('visibilitychange', () => {
		if (document.hidden) safely(beats.hide)
	})
	window.addEventListener('pagehide', ({ persisted }) => safely(() => beats.leave(persisted)))
	window.addEventListener('pageshow', ({ persisted }) => {
		if (persisted) safely(beats.resume)
	})
	window.addEventListener('online', () => safely(beats.resume))

	const handle = ({ kind }: Moment) => {
		if (kind === 'play' || kind === 'playing') {
			if (beats.isOver()) beats.begin()
			else beats.wake()
		}
		// After a sleep of the machine, the video may play on without any other event.
		if (kind === 'timeupdate' && !media.paused) beats.wake()
		const isEnd = kind === 'ended' || kind === 'failed'
		if (isEnd) countNew()
		if (kind === 'failed') record({ kind, code: player.engine()?.errorCode() ?? 'failed' })
		else if (kind === 'ratechange') record({ kind, rate: media.playbackRate })
		else record({ kind })
		if (isEnd) beats.end()
	}
	return (moment) => {
		handled = moment
		safely(() => handle(moment))
		handled = null
	}
}

/** Returns a function that records how many frames were dropped and which segments were loaded since its last call. */
function openCounters({ media, engine }: Player, record: (happening: Happening) => void): () => void {
	let dropped = 0
	const loaded = new Map<number, number>()
	return () => {
		const frames = media.getVideoPlaybackQuality?.().droppedVideoFrames ?? 0
		// The browser begins at 0 with each source.
		record({ kind: 'dropped', frames: frames < dropped ? frames : frames - dropped })
		dropped = frames
		for (const [height, ms] of engine()?.loadedMs() ?? []) {
			record({ kind: 'delivered', height, ms: ms - (loaded.get(height) ?? 0) })
			loaded.set(height, ms)
		}
	}
}

/** 128 random bits. They are stored nowhere. */
const newSessionId = (): string =>
	btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(16))))
		.replaceAll('+', '-')
		.replaceAll('/', '_')
		.replaceAll('=', '')

/** Returns only the origin: the server stores the host alone. */
const referrerOf = (address: string): string | null => /^https?:\/\/[^/]+/i.exec(address)?.[0] ?? null

/** Reports must never stop the player. */
function safely(run: () => void): void {
	try {
		run()
	} catch {
		// Nothing is reported about this.
	}
}
