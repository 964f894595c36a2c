import type { Moment } from './happenings.ts'

export const MEDIA_EVENTS = [
	...(['play', 'playing', 'pause', 'seeking', 'seeked', 'waiting'] as const),
	...(['timeupdate', 'ratechange', 'ended'] as const),
]

type MediaEvent = { type: (typeof MEDIA_EVENTS)[number]; isTrusted: boolean }
type MediaState = { seeking: boolean; paused: boolean; wantsToPlay: boolean }

/** Translates a media event to what happened, in order. Browsers report some of it late or never. */
export function listMomentKinds(
	{ type, isTrusted }: MediaEvent,
	{ seeking, paused, wantsToPlay }: MediaState,
): Moment['kind'][] {
	// Decoder errors pause the video, too, although the viewer still wants playback.
	if (type === 'pause' && paused && wantsToPlay) return ['waiting']
	// Browsers may send other events with the new position before `seeking`. Without media they send none; the player
	// then dispatches `timeupdate` itself.
	if (seeking || (type === 'timeupdate' && !isTrusted)) return ['seeking', type]
	// After a seek without media, `seeked` may never come.
	return type === 'playing' ? ['seeked', type] : [type]
}
