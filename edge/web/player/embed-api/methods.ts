import { SPEED_LIMITS } from '#schema/contract/watch/player-page.ts'
import { NO_CAPTIONS } from '../captions/captions.ts'
import { AUTO_QUALITY } from '../playback/auto-quality.ts'
import { setSpeed } from '../playback/media-settings.ts'
import type { ShownPlayer } from '../player-view.ts'

/** A method gets the value of the message. What it returns is sent back. */
type Method = (value: unknown) => unknown

/** The methods of player.js, and ours. Values of the wrong type are ignored. */
export function createMethods({ player, captions }: ShownPlayer): Record<string, Method> {
	const { media } = player
	const withNumber = (apply: (value: number) => void): Method => {
		return (value) => {
			const isNumeric = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')
			if (isNumeric && Number.isFinite(Number(value))) apply(Number(value))
		}
	}
	return {
		play: () => void player.play().catch(() => undefined),
		pause: () => player.pause(),
		getPaused: () => media.paused,
		mute: () => {
			media.muted = true
		},
		unmute: () => {
			media.muted = false
		},
		getMuted: () => media.muted,
		setVolume: withNumber((percent) => {
			media.volume = Math.min(1, Math.max(0, percent / 100))
		}),
		getVolume: () => Math.round(media.volume * 100),
		getDuration: () => player.duration(),
		setCurrentTime: withNumber(player.seek),
		getCurrentTime: () => player.currentTime(),
		setLoop: (value) => {
			player.setLoop(value === true || value === 'true')
		},
		getLoop: player.isLooping,
		setPlaybackRate: withNumber((rate) => {
			if (rate >= SPEED_LIMITS.min && rate <= SPEED_LIMITS.max) setSpeed(media, rate)
		}),
		getPlaybackRate: () => media.playbackRate,
		getQualities: () => player.engine()?.qualities() ?? [],
		getQuality: () => player.engine()?.quality() ?? AUTO_QUALITY,
		setQuality: withNumber((id) => {
			const isKnown =
				id === AUTO_QUALITY ||
				player
					.engine()
					?.qualities()
					.some((quality) => quality.id === id)
			if (isKnown) player.engine()?.setQuality(id)
		}),
		getAudioTracks: () => player.engine()?.audioTracks() ?? [],
		setAudioTrack: withNumber((id) => {
			if (
				player
					.engine()
					?.audioTracks()
					.some((track) => track.id === id)
			)
				player.engine()?.setAudioTrack(id)
		}),
		getChapters: () => player.video.chapters,
		getTextTracks: captions.tracks,
		getTextTrack: captions.track,
		setTextTrack: withNumber((id) => {
			if (id === NO_CAPTIONS || captions.tracks().some((track) => track.id === id)) captions.choose(id)
		}),
		setToken: (value) => {
			if (typeof value === 'string' && /^[\w.-]+$/.test(value)) player.renewToken(value)
		},
	}
}
