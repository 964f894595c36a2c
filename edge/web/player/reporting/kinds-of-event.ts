import type { Moment } from './happenings.ts'

export const MEDIA_EVENTS = [
	...(['play', 'playing', 'pause', 'seeking', 'seeked', 'waiting'] as const),
	...(['timeupdate', 'ratechange', 'ended'] as const),
]

type MediaEvent = { type: (typeof MEDIA_EVENTS)[number]; isTrusted: boolean }
type MediaState = { seeking: boolean; paused: boolean; wantsToPlay: boolean }

/** Returns what an event of a video shows, in order. Browsers report some of it late or never. */
export function kindsOf(
	{ type, isTrusted }: MediaEvent,
	{ seeking, paused, wantsToPlay }: MediaState,
): Moment['kind'][] {
	// An error of the decoder, too, pauses a video, and the viewer still wants it to play.
	if (type === 'pause' && paused && wantsToPlay) return ['waiting']
	// The position of a seek may come with another event before the one of the seek. Without media there is none: then the
	// player itself says that the viewer chose another position.
	if (seeking || (type === 'timeupdate' && !isTrusted)) return ['seeking', type]
	// A seek without media may have no end.
	return type === 'playing' ? ['seeked', type] : [type]
}
