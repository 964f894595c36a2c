import type { CollectionColor } from '#schema/contract/video/collections.ts'
import { notFoundError } from '../../http/errors.ts'
import { batch } from '../../platform/database/batch.ts'
import { newId } from '../../platform/database/ids.ts'
import type { Deps } from '../../platform/deps.ts'
import { type CollectionRow, type CountedCollection, collectionStore, pickEditableColumns } from './store.ts'

const collectionNotFoundError = () => notFoundError('collection')

export async function createCollection(
	{ db, now }: Deps,
	orgId: string,
	input: { name: string; color: CollectionColor },
): Promise<CountedCollection> {
	const row = { id: newId('col', now), orgId, ...input, createdAt: now, updatedAt: now }
	await collectionStore(db).insert(row)
	return { ...row, videoCount: 0 }
}

export async function getCollection({ db }: Deps, orgId: string, id: string): Promise<CountedCollection> {
	const row = await collectionStore(db).find(orgId, id)
	if (!row) throw collectionNotFoundError()
	return row
}

type Change = { name?: string | undefined; color?: CollectionColor | undefined }

export async function updateCollection(
	{ db, now }: Deps,
	orgId: string,
	id: string,
	{ name, color }: Change,
	before?: CollectionRow,
): Promise<CountedCollection> {
	const changes = { ...(name !== undefined && { name }), ...(color !== undefined && { color }) }
	const row = await collectionStore(db).update(orgId, id, changes, now, before && pickEditableColumns(before))
	if (!row) throw collectionNotFoundError()
	return row
}

/** Deletes the collection and keeps its assets. One batch does both, so no asset refers to a deleted collection. */
export async function deleteCollection({ db, now }: Deps, orgId: string, id: string): Promise<void> {
	const store = collectionStore(db)
	const { collectionDeleted } = await batch(db, {
		collectionDeleted: store.delete(orgId, id),
		assetsReleased: store.releaseAssets(orgId, id, now),
	})
	if (collectionDeleted.length === 0) throw collectionNotFoundError()
}
