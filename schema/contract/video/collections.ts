import { z } from 'zod'
import { CollectionId, data, Line, Timestamp } from '../kit/fields.ts'
import { returnsEtag, takesIfMatch } from '../kit/headers/entity-tag.ts'
import { describeOperations } from '../kit/operation.ts'
import { PageQuery } from '../kit/page.ts'

const operation = describeOperations('Collections')
const CollectionParams = z.object({ collectionId: CollectionId })

export const COLLECTION_COLORS = [
	'slate',
	'red',
	'orange',
	'amber',
	'lime',
	'green',
	'teal',
	'cyan',
	'blue',
	'indigo',
	'violet',
	'pink',
] as const

const CollectionColor = z.enum(COLLECTION_COLORS)
export type CollectionColor = z.infer<typeof CollectionColor>
const CollectionName = Line.min(1).max(255)

export const Collection = z
	.object({
		id: CollectionId,
		name: z.string(),
		color: CollectionColor,
		videoCount: z.int().nonnegative().meta({ description: 'Number of assets in the collection' }),
		createdAt: Timestamp,
		updatedAt: Timestamp,
	})
	.meta({ id: 'Collection' })
export type Collection = z.infer<typeof Collection>

export const listCollections = operation({
	id: 'listCollections',
	method: 'get',
	path: '/v1/collections',
	summary: 'List the collections of the organization, oldest first',
	auth: 'read',
	impersonation: 'read',
	query: PageQuery,
	paged: true,
	response: data(z.array(Collection)),
})

export const createCollection = operation({
	id: 'createCollection',
	method: 'post',
	path: '/v1/collections',
	summary: 'Create a collection',
	auth: 'write',
	audit: 'none: content',
	impersonation: 'write',
	body: z.object({ name: CollectionName, color: CollectionColor }),
	status: 201,
	response: data(Collection),
})

export const getCollection = operation({
	id: 'getCollection',
	method: 'get',
	path: '/v1/collections/{collectionId}',
	summary: 'Get a collection',
	auth: 'read',
	impersonation: 'read',
	params: CollectionParams,
	...returnsEtag,
	response: data(Collection),
	errors: ['not_found'],
})

export const updateCollection = operation({
	id: 'updateCollection',
	method: 'patch',
	path: '/v1/collections/{collectionId}',
	summary: 'Update the name or color of a collection',
	auth: 'write',
	audit: 'none: content',
	impersonation: 'write',
	params: CollectionParams,
	...takesIfMatch,
	body: z
		.object({ name: CollectionName, color: CollectionColor })
		.partial()
		.refine((patch) => Object.keys(patch).length > 0, 'must change at least one field'),
	response: data(Collection),
	errors: ['not_found'],
})

export const deleteCollection = operation({
	id: 'deleteCollection',
	method: 'delete',
	path: '/v1/collections/{collectionId}',
	summary: 'Delete a collection but keep its assets',
	auth: 'write',
	audit: 'none: content',
	params: CollectionParams,
	response: data(z.object({ id: CollectionId, deleted: z.literal(true) })),
	errors: ['not_found'],
})
