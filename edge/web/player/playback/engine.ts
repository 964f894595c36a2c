import Hls, { type Level, type MediaPlaylist } from 'hls.js'
import type { PlayableVideo } from '#schema/contract/watch/player-page.ts'
import { toPlainText } from '../captions/cues.ts'
import { offerAirPlay } from './airplay.ts'
import { createEngineConfig, FULL_BUFFER } from './engine-config.ts'
import type { CaptionTrack, Choice, Engine, EngineEvents, Scrubber } from './engine-types.ts'
import type { EarlySegments } from './first-segments/early-segments.ts'
import { requestLowest, whenVisible } from './first-segments/lowest-quality.ts'
import { holdSegments } from './held-segments.ts'
import { controlLoading } from './loading.ts'
import { createPageLoader, type LoaderSource } from './page-loader.ts'
import type { Position } from './position.ts'
import { recoverFrom } from './recovery.ts'
import { createScrubber } from './scrubber.ts'
import { addToken, removeToken } from './token-path.ts'

/** How many seconds before the end of a segment the next one is requested. */
const LEAD_SEC = 1

export type EngineOptions = {
	media: HTMLVideoElement
	video: PlayableVideo
	position: Position
	/** From an earlier visit; null if unknown. */
	bandwidth: number | null
	/** Segments that were requested while the engine was being loaded. */
	early: EarlySegments
	events: EngineEvents
}

/** Plays a video with Media Source Extensions. Requests neither embedded files nor, before `load`, segments. */
export function createEngine({ media, video, position, bandwidth, early, events }: EngineOptions): Engine {
	const absolute = (path: string) => new URL(path, location.href).href
	const source: LoaderSource = {
		files: new Map(Object.entries(video.files).map(([path, file]) => [removeToken(absolute(path)), file])),
		early,
		token: null,
		untilDue: (startSec, aborted) =>
			beforePlay.untilDue(startSec, aborted) ?? recovery.untilDue(startSec, aborted),
		replaceSegment: (context) => recovery.replaceSegment(context),
	}
	const hls = new Hls({ ...createEngineConfig(bandwidth), loader: createPageLoader(source) })
	let mayLoadAhead = false
	// hls.js itself would load the audio ahead of the video.
	const beforePlay = holdSegments(media, (startSec) => mayLoadAhead || startSec < position.sec() + LEAD_SEC)
	let scrubber: Scrubber | null = null
	const loading = controlLoading(hls, position)
	let errorCode: string | null = null
	// Before the recovery reports the problem that the error causes.
	hls.on(Hls.Events.ERROR, (_, { details }) => {
		errorCode = details
	})
	const recovery = recoverFrom({ hls, media, position, loading, ...events })

	const loadedMs = new Map<number, number>()
	hls.on(Hls.Events.FRAG_LOADED, (_, { frag }) => {
		const level = hls.levels[frag.level]
		if (frag.type !== 'main' || !level) return
		const side = Math.min(level.width, level.height)
		loadedMs.set(side, (loadedMs.get(side) ?? 0) + Math.round(frag.duration * 1_000))
	})

	// Deferred, because hls.js selects a track right after some of these events.
	for (const event of [
		Hls.Events.MANIFEST_PARSED,
		Hls.Events.LEVEL_SWITCHED,
		Hls.Events.LEVELS_UPDATED,
		Hls.Events.AUDIO_TRACKS_UPDATED,
		Hls.Events.AUDIO_TRACK_SWITCHED,
		Hls.Events.SUBTITLE_TRACKS_UPDATED,
		Hls.Events.SUBTITLE_TRACK_SWITCH,
	] as const)
		hls.on(event, () => queueMicrotask(events.onTracks))

	hls.on(Hls.Events.CUES_PARSED, (_, { cues, subtitleTrack }) => {
		if (!subtitleTrack) return
		events.onCues(
			captionTrackOf(subtitleTrack, hls.subtitleTracks.indexOf(subtitleTrack)),
			(cues as VTTCue[]).map(({ startTime, endTime, text }) => ({
				fromSec: startTime,
				toSec: endTime,
				text: toPlainText(text),
			})),
		)
	})

	const manifestUrl = () => addToken(absolute(video.manifestPath), source.token)
	offerAirPlay(hls, media, manifestUrl, loading)
	// Reattaching the video, as in hls.js's own recovery, has paused it.
	hls.on(Hls.Events.MEDIA_ATTACHING, () => {
		if (events.wantsToPlay()) media.play().catch(() => undefined)
	})
	hls.attachMedia(media)
	hls.loadSource(absolute(video.manifestPath))

	media.addEventListener('loadedmetadata', () => {
		const sec = position.sec()
		// The first segment starts earlier, and the browser would play from there until hls.js seeks. After an earlier
		// seek, hls.js would return to its start position unless the video is seeking.
		if (media.currentTime !== sec || loading.startedAtSec() !== sec) media.currentTime = sec
	})

	/** The position for which the lowest quality was requested. */
	let lowestSec: number | null = null
	const hasLowest = () => lowestSec === position.sec()
	let isLoading = false
	const load = (canBeLow: boolean) => {
		if (isLoading) return
		isLoading = true
		// With a known bandwidth, hls.js itself chooses where to begin.
		const standard = bandwidth === null ? video.firstPlaylist : null
		const playlist = canBeLow && hasLowest() ? video.lowestPlaylist : standard
		const start = () => {
			const level = hls.levels.findIndex(({ url }) => playlist !== null && url.includes(absolute(playlist)))
			if (level >= 0) hls.startLevel = level
			loading.start()
		}
		// Before it knows the renditions, hls.js forgets where to start.
		if (hls.levels.length > 0) start()
		else hls.once(Hls.Events.MANIFEST_PARSED, start)
	}

	return {
		load,
		isLoading: () => isLoading,
		preloadLowest(root) {
			whenVisible(root, async () => {
				if (isLoading || early.size > 0 || video.lowestPlaylist === null) return
				lowestSec = position.sec()
				const isWhole = await requestLowest(early, video, lowestSec)
				// Where nobody can hover, the first frame is shown before the tap.
				if (isWhole && hasLowest() && matchMedia('(hover: none)').matches) load(true)
			})
		},
		hasLowest,
		seek(sec) {
			media.currentTime = sec
			recovery.retryIfFailed()
		},
		expectPlay() {
			mayLoadAhead = true
			beforePlay.releaseDue()
			recovery.setBufferGoal(FULL_BUFFER)
			recovery.retryIfFailed()
		},
		qualities: () => hls.levels.map(choiceOf).toSorted(byHeight(hls.levels)),
		quality: () => hls.manualLevel,
		playingQuality: () => {
			const level = hls.levels[hls.currentLevel]
			return level ? labelOf(level) : null
		},
		setQuality(id) {
			hls.nextLevel = id
			events.onTracks()
		},
		rendition: () => hls.levels[hls.currentLevel] ?? null,
		frameRate: () => (hls.levels[hls.currentLevel] ?? hls.levels[0])?.frameRate || null,
		loadedMs: () => loadedMs,
		errorCode: () => errorCode,
		audioTracks: () =>
			hls.audioTracks.map(({ name, lang }, id) => ({ id, label: name || lang || String(id + 1) })),
		audioTrack: () => hls.audioTrack,
		setAudioTrack(id) {
			hls.audioTrack = id
		},
		captionTracks: () => hls.subtitleTracks.map(captionTrackOf),
		captionTrack: () => hls.subtitleTrack,
		setCaptionTrack(id) {
			hls.subtitleTrack = id
		},
		createScrubber(frame) {
			scrubber?.destroy()
			scrubber = createScrubber(hls, frame)
			return scrubber
		},
		bandwidth: () => hls.bandwidthEstimate,
		manifestUrl,
		renewToken(token) {
			source.token = token
			recovery.renewed()
		},
		refresh() {
			keepChoices(hls)
			source.files = new Map()
			hls.loadSource(absolute(video.manifestPath))
			hls.once(Hls.Events.MANIFEST_PARSED, loading.start)
		},
		retry: () => recovery.retry(),
	}
}

/** Applies the viewer's choices to the next list of renditions, too. */
function keepChoices(hls: Hls): void {
	const audio = hls.audioTracks[hls.audioTrack]
	const captions = hls.subtitleTracks[hls.subtitleTrack]
	if (audio) hls.config.audioPreference = optionOf(audio)
	if (captions) hls.config.subtitlePreference = optionOf(captions)
	else delete hls.config.subtitlePreference
	const quality = hls.levels[hls.manualLevel]
	if (quality)
		hls.once(Hls.Events.MANIFEST_PARSED, () => {
			hls.loadLevel = hls.levels.findIndex((level) => labelOf(level) === labelOf(quality))
		})
}

const optionOf = ({ lang, name }: MediaPlaylist) => ({ name, ...(lang && { lang }) })

const codecNames: Record<string, string> = { av01: 'AV1', hvc1: 'HEVC', hev1: 'HEVC' }

const captionTrackOf = ({ name, lang }: MediaPlaylist, id: number): CaptionTrack => ({
	id,
	label: name || lang || String(id + 1),
	language: lang,
})

const choiceOf = (level: Level, id: number): Choice => ({ id, label: labelOf(level) })

/** Names a quality by its shorter side, as people do, and by its codec if it is not H.264. */
function labelOf({ width, height, bitrate, videoCodec }: Level): string {
	if (!height) return `${Math.round(bitrate / 1_000)} kbit/s`
	const codec = codecNames[videoCodec?.slice(0, 4) ?? '']
	return `${Math.min(width, height)}p${codec ? ` ${codec}` : ''}`
}

const byHeight = (levels: readonly Level[]) => (a: Choice, b: Choice) =>
	(levels[b.id]?.bitrate ?? 0) - (levels[a.id]?.bitrate ?? 0)
