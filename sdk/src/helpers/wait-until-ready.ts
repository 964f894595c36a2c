import { call } from '../call.ts'
import type { Client } from '../client.ts'
import { CanceledError, PlayhouseError } from '../errors.ts'
import { readEventStream } from '../event-stream.ts'
import { type Asset, getAsset, streamAssetProgress } from '../generated/operations.ts'
import type { CallOptions } from '../operation.ts'
import { choosePauseMs, pause } from '../retry.ts'

/** The processing of an asset failed. The message is the `errorMessage` of the asset. */
export class ProcessingError extends PlayhouseError {
	override readonly name = 'ProcessingError'
}

/** A progress event of an asset. */
export type Progress = { status: string; progress: number; estimatedSecondsLeft: number | null }

export type WaitOptions = CallOptions & {
	onProgress?: (progress: Progress) => void
	/** The polling interval in milliseconds while no stream is available (default 3,000). */
	pollMs?: number
}

/**
 * Waits until an asset is ready, and returns the asset. Follows its progress stream; polls the asset while no stream is
 * available. Throws a ProcessingError if the processing fails. The signal ends the wait.
 */
export async function waitUntilReady(
	client: Client,
	{ assetId }: { assetId: string },
	{ onProgress, pollMs = 3_000, ...options }: WaitOptions = {},
): Promise<Asset> {
	for (;;) {
		const asset = await call(client, getAsset, { assetId }, options)
		if (asset.status === 'ready') return asset
		if (asset.status === 'error')
			throw new ProcessingError(
				asset.errorMessage ?? 'the processing failed; look at the timeline of the asset',
			)
		const isOver = await followProgress(client, assetId, options, onProgress)
		if (!isOver && !(await pause(pollMs, options.signal)))
			throw new CanceledError('the signal ended the wait', { cause: options.signal?.reason })
	}
}

/** Returns whether the stream reported the end. False without a stream, such as when too many are open. */
async function followProgress(
	client: Client,
	assetId: string,
	options: CallOptions,
	onProgress?: (progress: Progress) => void,
): Promise<boolean> {
	try {
		for await (const { event, data } of readEventStream(client, streamAssetProgress, { assetId }, options)) {
			if (event !== 'progress') continue
			const progress = data as Progress
			onProgress?.(progress)
			if (['ready', 'error'].includes(progress.status)) return true
		}
	} catch (error) {
		// A retryable error is ignored: the next poll of the asset shows whether the server is available again.
		if (choosePauseMs(error, 1, 1) === undefined) throw error
	}
	return false
}
