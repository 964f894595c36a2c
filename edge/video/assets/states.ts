import type { AssetStatus } from '#schema/contract/video/assets.ts'

type Move = { from: readonly AssetStatus[]; to: AssetStatus }

/**
 * All state moves of an asset. An asset can be deleted in every state, and moved to the trash unless a job or
 * translation of it runs. A move is one conditional update (`assetStore.move`), so only one of several concurrent attempts succeeds.
 */
export const assetMoves = {
	/** An upload was completed, or a source URL was set. */
	receiveSource: { from: ['created'], to: 'uploaded' },
	/** Also processes a source again, after an error or on request. */
	enqueue: { from: ['uploaded', 'error', 'ready'], to: 'queued' },
	startProcessing: { from: ['queued'], to: 'processing' },
	finishProcessing: { from: ['processing'], to: 'ready' },
	/** Early playback publishes an asset before all renditions exist; this move adds later ones. */
	extendReady: { from: ['ready'], to: 'ready' },
	/** A job may fail before a machine claims it, for instance after waiting too long. */
	failProcessing: { from: ['queued', 'processing'], to: 'error' },
	/** The job was cancelled. An asset that an earlier job published plays again. */
	returnToUploaded: { from: ['queued', 'processing'], to: 'uploaded' },
	returnToReady: { from: ['queued', 'processing'], to: 'ready' },
} as const satisfies Record<string, Move>

export type MoveName = keyof typeof assetMoves

export const canMove = (name: MoveName, from: AssetStatus): boolean =>
	(assetMoves[name].from as readonly AssetStatus[]).includes(from)
