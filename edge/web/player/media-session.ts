import type { Player } from './player.ts'

const SKIP_SEC = 10

/** Connects the media keys, the lock screen and headphones. */
export function connectMediaSession(player: Player): void {
	if (!('mediaSession' in navigator)) return
	const { video, media } = player
	const { mediaSession } = navigator
	player.on('started', () => {
		mediaSession.metadata = new MediaMetadata({
			title: video.overlayTitle ?? video.title,
			...(video.posterPath !== null && {
				artwork: [{ src: new URL(video.posterPath, location.href).href }],
			}),
		})
	})
	const handlers: Partial<Record<MediaSessionAction, MediaSessionActionHandler>> = {
		play: () => void player.play().catch(() => undefined),
		pause: () => player.pause(),
		seekbackward: ({ seekOffset }) => player.seek(player.currentTime() - (seekOffset ?? SKIP_SEC)),
		seekforward: ({ seekOffset }) => player.seek(player.currentTime() + (seekOffset ?? SKIP_SEC)),
		seekto: ({ seekTime }) => player.seek(seekTime ?? 0),
	}
	for (const [action, handler] of Object.entries(handlers)) {
		try {
			mediaSession.setActionHandler(action as MediaSessionAction, handler)
		} catch {
			// The browser doesn't know this action.
		}
	}
	const showPosition = () => {
		const duration = player.duration()
		if (duration > 0)
			mediaSession.setPositionState?.({
				duration,
				playbackRate: media.playbackRate,
				position: Math.min(duration, player.currentTime()),
			})
	}
	for (const event of ['play', 'pause', 'seeked', 'ratechange']) media.addEventListener(event, showPosition)
}
