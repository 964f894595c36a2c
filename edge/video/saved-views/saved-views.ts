import { MAX_SAVED_VIEWS } from '#schema/contract/video/saved-views.ts'
import { AppError, notFoundError } from '../../http/errors.ts'
import { newId } from '../../platform/database/ids.ts'
import type { Deps } from '../../platform/deps.ts'
import { type SavedViewChange, type SavedViewRow, savedViewStore } from './store.ts'

const viewNotFoundError = () => notFoundError('saved view')

const tooManyViewsError = () =>
	new AppError('conflict', `an organization has at most ${MAX_SAVED_VIEWS} saved views; delete one first`)

export async function createSavedView(
	{ db, now }: Deps,
	orgId: string,
	options: Pick<SavedViewRow, 'name' | 'filter' | 'sort'>,
): Promise<SavedViewRow> {
	const row = { id: newId('svw', now), orgId, ...options, createdAt: now, updatedAt: now }
	const view = await savedViewStore(db).insert(row)
	if (!view) throw tooManyViewsError()
	return view
}

export async function updateSavedView(
	{ db, now }: Deps,
	orgId: string,
	id: string,
	change: SavedViewChange,
): Promise<SavedViewRow> {
	const view = await savedViewStore(db).update(orgId, id, change, now)
	if (!view) throw viewNotFoundError()
	return view
}

export async function deleteSavedView({ db }: Deps, orgId: string, id: string): Promise<void> {
	if (!(await savedViewStore(db).delete(orgId, id))) throw viewNotFoundError()
}
