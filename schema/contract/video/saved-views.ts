import { z } from 'zod'
import { data, Line, SavedViewId, Timestamp } from '../kit/fields.ts'
import { describeOperations } from '../kit/operation.ts'
import { AssetSort } from './assets.ts'
import { AssetFilterBody } from './bulk.ts'

const operation = describeOperations('Assets')
const ViewParams = z.object({ viewId: SavedViewId })

export const MAX_SAVED_VIEWS = 100

const options = z.object({
	name: Line.min(1).max(100),
	filter: AssetFilterBody.nullable().meta({ description: 'null selects all assets' }),
	sort: AssetSort,
})

export const SavedView = z
	.object({
		id: SavedViewId,
		name: z.string(),
		filter: options.shape.filter,
		sort: AssetSort,
		createdAt: Timestamp,
		updatedAt: Timestamp,
	})
	.meta({ id: 'SavedView' })
export type SavedView = z.output<typeof SavedView>

export const listSavedViews = operation({
	id: 'listSavedViews',
	method: 'get',
	path: '/v1/saved-views',
	summary: 'List the saved views of the asset list, oldest first',
	description:
		'All members of the organization share the views. The fields of `filter` and `sort` are parameters of `GET /v1/assets`; values of an array are separated by commas there.',
	auth: 'read',
	impersonation: 'read',
	response: data(z.array(SavedView).max(MAX_SAVED_VIEWS)),
})

export const createSavedView = operation({
	id: 'createSavedView',
	method: 'post',
	path: '/v1/saved-views',
	summary: 'Save a filter and a sort of the asset list under a name',
	description: `An organization has at most ${MAX_SAVED_VIEWS} saved views (409).`,
	auth: 'write',
	audit: 'none: content',
	impersonation: 'write',
	body: options.extend({
		filter: options.shape.filter.default(null),
		sort: AssetSort.default('-created'),
	}),
	status: 201,
	response: data(SavedView),
	errors: ['conflict'],
})

export const updateSavedView = operation({
	id: 'updateSavedView',
	method: 'patch',
	path: '/v1/saved-views/{viewId}',
	summary: 'Update the name, filter or sort of a saved view',
	description: 'A new `filter` replaces all fields of the previous one.',
	auth: 'write',
	audit: 'none: content',
	impersonation: 'write',
	params: ViewParams,
	body: options.partial().refine((patch) => Object.keys(patch).length > 0, 'must change at least one field'),
	response: data(SavedView),
	errors: ['not_found'],
})

export const deleteSavedView = operation({
	id: 'deleteSavedView',
	method: 'delete',
	path: '/v1/saved-views/{viewId}',
	summary: 'Delete a saved view; assets stay unchanged',
	auth: 'write',
	audit: 'none: content',
	params: ViewParams,
	response: data(z.object({ id: SavedViewId, deleted: z.literal(true) })),
	errors: ['not_found'],
})
