import type { MessageByType } from '#schema/contract/messages.ts'
import type { Deps } from '../../platform/deps.ts'
import { purgeStorage } from '../../platform/storage/storage-purge.ts'
import { stopUploads } from './tus/followers.ts'

declare module '../../platform/deps.ts' {
	interface Contributions {
		/**
		 * Deletes viewer data of a deleted video or organization. Idempotent. A property, because a method's parameters
		 * would be checked less strictly.
		 */
		deleteAnalytics: (deps: Pick<Deps, 'env' | 'now'>, place: MessageByType<'storage.purge'>) => Promise<void>
	}
}

/** Deletes everything under a prefix, including the data in Durable Objects. */
export async function purgeAssetObjects(deps: Deps, place: MessageByType<'storage.purge'>): Promise<void> {
	// Stops uploads to the prefix first, because their parts are not listed.
	await stopUploads(deps, place)
	await purgeStorage(deps, place)
	await deps.contributions.deleteAnalytics(deps, place)
}
