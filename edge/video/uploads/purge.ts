import type { MessageByType } from '#schema/contract/messages.ts'
import type { Deps } from '../../platform/deps.ts'
import { purgeStorage } from '../../platform/storage/storage-purge.ts'
import { stopUploads } from './tus/followers.ts'

declare module '../../platform/deps.ts' {
	interface Contributions {
		/**
		 * Deletes what is kept about the viewers of a deleted video or organization. May run twice. As a method, an
		 * implementation could need more of `Deps` than this, and would still compile.
		 */
		deleteAnalytics: (deps: Pick<Deps, 'env' | 'now'>, place: MessageByType<'storage.purge'>) => Promise<void>
	}
}

/** Deletes everything under a prefix, and what belongs to it in Durable Objects. */
export async function purgeAssetObjects(deps: Deps, place: MessageByType<'storage.purge'>): Promise<void> {
	// Uploads that still write to the prefix end first: their parts are in no list of objects.
	await stopUploads(deps, place)
	await purgeStorage(deps, place)
	await deps.contributions.deleteAnalytics(deps, place)
}
