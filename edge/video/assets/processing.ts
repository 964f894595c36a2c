import type { SQL } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import type { RunnableQuery } from 'drizzle-orm/runnable-query'
import type { Asset } from '#schema/contract/video/assets.ts'
import type { Deps } from '../../platform/deps.ts'

/** Hooks for transcoding, injected through `Contributions`, because transcoding imports this folder. */
export type AssetProcessing = {
	/** Returns the processing fields of an asset's record. */
	view(
		deps: Deps,
		assetId: string,
	): Promise<Pick<Asset, 'renditions' | 'currentStep' | 'job' | 'aiJob' | 'highlights'>>
	/** Returns the progress of running jobs in percent, and the languages of subtitles except the transcript's. */
	summarize(
		deps: Pick<Deps, 'db'>,
		assetIds: readonly string[],
	): Promise<Map<string, { progress: number | null; languages: string[] }>>
	/** Ends all processing of an asset if the condition holds, within the batch that deletes the asset. */
	removal(deps: Deps, assetId: string, condition: SQL): AssetRemoval
}

type MultipartUpload = { uploadKey: string | null; uploadId: string | null }

export type AssetRemoval = {
	/** Deletes all tasks and returns their unfinished multipart uploads. */
	deleteTasksStatement: RunnableQuery<MultipartUpload[], 'sqlite'>
	endProcessingStatements: readonly BatchItem<'sqlite'>[]
	/** Runs when the batch has succeeded. */
	finish(deletedTasks: readonly MultipartUpload[]): void
}

declare module '../../platform/deps.ts' {
	interface Contributions {
		assetProcessing: AssetProcessing
	}
}
