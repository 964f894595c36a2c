import type { AssetStatus } from '#schema/contract/assets.ts'

type Move = { from: readonly AssetStatus[]; to: AssetStatus }

/**
 * Everything that can happen to an asset. Deleting is possible from each state and leaves none. A move is made by one
 * conditional update (`assetStore.move`): where several try at once, one succeeds and the others find it gone.
 */
export const assetMoves = {
	/** The source is there: an upload was completed, or an address to fetch it from was named. */
	receiveSource: { from: ['created'], to: 'uploaded' },
	/** Also again, for a source that failed or is to be processed anew. */
	enqueue: { from: ['uploaded', 'error', 'ready'], to: 'queued' },
	startProcessing: { from: ['queued'], to: 'processing' },
	finishProcessing: { from: ['processing'], to: 'ready' },
	/** With early playback it is ready before all of it is: more can be played now. */
	extendReady: { from: ['ready'], to: 'ready' },
	/** A job may fail before any machine took it, for instance when it waited too long. */
	failProcessing: { from: ['queued', 'processing'], to: 'error' },
} as const satisfies Record<string, Move>

export type MoveName = keyof typeof assetMoves

export const canMove = (name: MoveName, from: AssetStatus): boolean =>
	(assetMoves[name].from as readonly AssetStatus[]).includes(from)
