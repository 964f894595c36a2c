import { NO_CAPTIONS } from '../captions/captions.ts'
import { onChapter } from '../controls/chapters.ts'
import type { ShownPlayer } from '../player-view.ts'

/** Those of player.js, and ours. */
export const eventNames: readonly string[] = [
	...['ready', 'progress', 'timeupdate', 'play', 'pause', 'ended', 'seeked', 'error'],
	...['qualitychange', 'ratechange', 'volumechange', 'texttrackchange', 'chapterchange', 'tokenexpired'],
	'livecount',
]

/** Emits an event for each change of the player. */
export function emitEvents(
	{ player, captions }: ShownPlayer,
	emit: (event: string, value?: unknown) => void,
): void {
	const { media } = player
	const position = () => ({ seconds: player.currentTime(), duration: player.duration() })
	media.addEventListener('timeupdate', () => emit('timeupdate', position()))
	media.addEventListener('progress', () => {
		const { buffered } = media
		const loadedSec = buffered.length > 0 ? buffered.end(buffered.length - 1) : 0
		emit('progress', {
			seconds: loadedSec,
			duration: player.duration(),
			percent: loadedSec / (player.duration() || 1),
		})
	})
	for (const event of ['play', 'pause', 'ended', 'seeked']) media.addEventListener(event, () => emit(event))
	let rate = media.playbackRate
	media.addEventListener('ratechange', () => {
		// The browser also reports a new default.
		if (media.playbackRate !== rate) emit('ratechange', { rate: media.playbackRate })
		rate = media.playbackRate
	})
	media.addEventListener('volumechange', () =>
		emit('volumechange', { volume: Math.round(media.volume * 100), muted: media.muted }),
	)
	onChapter(player, (index) => emit('chapterchange', { index }))
	player.on('live', (count) => emit('livecount', { count }))
	let quality: string | null = null
	let textTrack = NO_CAPTIONS
	player.on('tracks', () => {
		const playing = player.engine()?.playingQuality() ?? null
		if (playing !== quality) emit('qualitychange', { quality: playing })
		quality = playing
		if (captions.track() !== textTrack) emit('texttrackchange', { id: captions.track() })
		textTrack = captions.track()
	})
	player.on('problem', (problem) => {
		if (problem === 'expired') emit('tokenexpired')
		if (problem === 'failed') emit('error', { code: 1, msg: 'this video can not be played here' })
	})
}
