import type { SavedView } from '#schema/contract/video/saved-views.ts'
import { toIso } from '../../platform/clock.ts'
import type { SavedViewRow } from './store.ts'

export const viewSavedView = ({ id, name, filter, sort, createdAt, updatedAt }: SavedViewRow): SavedView => ({
	id,
	name,
	filter,
	sort,
	createdAt: toIso(createdAt),
	updatedAt: toIso(updatedAt),
})
