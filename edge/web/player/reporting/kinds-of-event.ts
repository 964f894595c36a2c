import type { Moment } from './happenings.ts'

export const MEDIA_EVENTS = [
	...(['play', 'playing', 'pause', 'seeking', 'seeked', 'waiting'] as const),
	...(['timeupdate', 'ratechange', 'ended'] as const),
]

type MediaEvent = { type: (typeof MEDIA_EVENTS)[number]; isTrusted: boolean }
type MediaState = { seeking: boolean; paused: boolean; wantsToPlay: boolean }

/** Returns what happened according to an event of a video, in order. Browsers report some of it late or never. */
export function listMomentKinds(
	{ type, isTrusted }: MediaEvent,
	{ seeking, paused, wantsToPlay }: MediaState,
): Moment['kind'][] {
	// An error of the decoder, too, pauses a video, and the viewer still wants it to play.
	if (type === 'pause' && paused && wantsToPlay) return ['waiting']
	// Browsers may send other events with the new position before `seeking`. Without media they send no `seeking` at all: the
	// player then sends `timeupdate` itself when the viewer chooses another position.
	if (seeking || (type === 'timeupdate' && !isTrusted)) return ['seeking', type]
	// After a seek without media, `seeked` may never come.
	return type === 'playing' ? ['seeked', type] : [type]
}
