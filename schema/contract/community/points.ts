import { z } from 'zod'
import { data, pathInt, Timestamp } from '../fields.ts'
import { operation } from '../operation.ts'
import { PageQuery } from '../page.ts'
import { CommunityParams } from './communities.ts'
import { Id } from './fields.ts'

const tag = 'Community: points'

export const PointTransaction = z
	.object({
		id: Id,
		memberId: Id.nullable().meta({ description: 'null for someone who is no member any more' }),
		points: z.int(),
		reason: z.string(),
		createdAt: Timestamp,
	})
	.meta({ id: 'PointTransaction' })
export type PointTransaction = z.infer<typeof PointTransaction>

export const awardPoints = operation({
	id: 'awardPoints',
	method: 'post',
	path: '/v1/communities/{communityId}/points',
	tag,
	summary: 'Give points to a member, or take some away',
	description:
		'A balance is the sum of its transactions and may be negative. Send an `Idempotency-Key` to be sure that points are given once. 404 for a member who is not of the community.',
	auth: 'write',
	params: CommunityParams,
	idempotent: true,
	body: z.object({
		memberId: Id,
		points: z
			.int()
			.min(-1_000_000)
			.max(1_000_000)
			.refine((points) => points !== 0, 'must not be 0'),
		reason: z.string().trim().min(1).max(200),
	}),
	status: 201,
	response: data(PointTransaction),
})

export const listPoints = operation({
	id: 'listPoints',
	method: 'get',
	path: '/v1/communities/{communityId}/points',
	tag,
	summary: 'Point transactions of the community, newest first',
	auth: 'read',
	params: CommunityParams,
	query: PageQuery,
	paged: true,
	status: 200,
	response: data(z.array(PointTransaction)),
})

export const getMemberPoints = operation({
	id: 'getMemberPoints',
	method: 'get',
	path: '/v1/communities/{communityId}/members/{memberId}/points',
	tag,
	summary: 'What a member has',
	auth: 'read',
	params: CommunityParams.extend({ memberId: pathInt }),
	status: 200,
	response: data(z.object({ memberId: Id, balance: z.int() })),
})
