import type { Collection, CollectionColor } from '#schema/contract/video/collections.ts'
import { toIso } from '../../platform/clock.ts'
import type { CountedCollection } from './store.ts'

export const viewCollection = (row: CountedCollection): Collection => ({
	id: row.id,
	name: row.name,
	color: row.color as CollectionColor,
	videoCount: row.videoCount,
	createdAt: toIso(row.createdAt),
	updatedAt: toIso(row.updatedAt),
})
