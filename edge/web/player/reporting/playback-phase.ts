import type { Activity } from '#schema/contract/watch/analytics/playback-state.ts'
import type { PhaseChange } from './happenings.ts'

/** `running` also while the viewer pauses. */
type Phase = 'starting' | 'running' | 'seeking' | 'stalled' | 'ended' | 'failed'

/** Tracks the player's phase, and counts seeks and stalls. */
export function openPlaybackPhase() {
	let phase: Phase = 'starting'
	let wantsToPlay = false
	/** The position of a seek was reached. */
	let isSeeked = false
	/** The browser has the data to play on. It may report this before a seek has ended. */
	let isReady = false
	let seeks = 0
	let stalls = 0

	const endWaiting = () => {
		if (phase === 'stalled' || (phase === 'seeking' && isSeeked)) phase = 'running'
	}
	const changes: Record<PhaseChange, () => void> = {
		play() {
			wantsToPlay = true
		},
		playing() {
			wantsToPlay = isReady = true
			endWaiting()
		},
		pause() {
			wantsToPlay = false
			endWaiting()
		},
		seeking() {
			isSeeked = isReady = false
			if (phase === 'starting' || phase === 'seeking') return
			phase = 'seeking'
			seeks++
		},
		seeked() {
			isSeeked = true
			if (isReady || !wantsToPlay) endWaiting()
		},
		waiting() {
			isReady = false
			if (phase !== 'running' || !wantsToPlay) return
			phase = 'stalled'
			stalls++
		},
		ended() {
			phase = 'ended'
		},
		failed() {
			phase = 'failed'
		},
	}
	const isOver = () => phase === 'ended' || phase === 'failed'

	return {
		phase: () => phase,
		wantsToPlay: () => wantsToPlay,
		isPlaying: () => phase === 'running' && wantsToPlay,
		/** Whether a moving position proves playback. */
		canPlay: () => wantsToPlay && (phase !== 'seeking' || isSeeked),
		isOver,
		activity: (): Activity => {
			if (phase === 'ended' || phase === 'failed' || phase === 'seeking') return phase
			if (!wantsToPlay) return 'paused'
			return phase === 'running' ? 'playing' : phase
		},
		counts: () => ({ seeks, stalls }),
		change: (kind: PhaseChange): void => changes[kind](),
		/** The video was seen playing. */
		run(): void {
			phase = 'running'
		},
	}
}
