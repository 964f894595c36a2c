import type { PurgeObjects } from '#schema/contract/messages.ts'
import { MINUTE } from '../platform/clock.ts'
import type { Deps } from '../platform/deps.ts'
import { purgeStore } from './purge-store.ts'

const LEASE_MS = 30 * MINUTE
const SWEEP_ROWS = 100
/** R2 lists and deletes a thousand objects at a time; a message is content with this many thousands. */
const MAX_PAGES = 100

/** To the queue with what is to be purged and is not at work already. */
export async function handOverPurges(deps: Deps): Promise<void> {
	for (const id of await purgeStore(deps.db).claimDue(deps.now, LEASE_MS, SWEEP_ROWS))
		await deps.send({ type: 'objects.purge', id })
}

/** Deletes everything under a prefix. A second delivery finds less, or nothing. */
export async function purgeObjects(deps: Deps, { id }: PurgeObjects): Promise<void> {
	const store = purgeStore(deps.db)
	const purge = await store.find(id)
	if (!purge) return
	const bucket = purge.bucket === 'vault' ? deps.env.bindings.VAULT : deps.env.bindings.MEDIA
	for (let page = 0; page < MAX_PAGES; page++) {
		const { objects, truncated } = await bucket.list({ prefix: purge.prefix, limit: 1_000 })
		if (objects.length > 0) await bucket.delete(objects.map(({ key }) => key))
		if (!truncated) {
			await store.finish(id)
			return deps.log.info('objects purged', { purgeId: id, bucket: purge.bucket })
		}
	}
	await deps.send({ type: 'objects.purge', id })
}
