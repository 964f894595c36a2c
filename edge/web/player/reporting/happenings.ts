import type { ShownRendition } from './shown-quality.ts'

/** Changes of what the player does. `failed` ends the session, like `ended`. */
export type PhaseChange = 'play' | 'playing' | 'pause' | 'seeking' | 'seeked' | 'waiting' | 'ended' | 'failed'

/** What happened in a player. */
export type Happening =
	| { kind: Exclude<PhaseChange, 'failed'> | 'timeupdate' }
	| { kind: 'failed'; code: string }
	| { kind: 'ratechange'; rate: number }
	| { kind: 'rendition'; rendition: ShownRendition }
	| { kind: 'delivered'; height: number; ms: number }
	| { kind: 'dropped'; frames: number }

/** What happened, when by the monotonic clock in milliseconds, and where in the video. */
export type Moment = { kind: PhaseChange | 'timeupdate' | 'ratechange'; at: number; sec: number }
