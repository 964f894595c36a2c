import { z } from 'zod'
import { data, Line, pathInt, Timestamp } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { dataPage, PageQuery } from '../../kit/page.ts'
import { CommunityMemberId, Id } from '../fields.ts'
import { CommunityParams } from './communities.ts'

const operation = describeOperations('Community: points')

export const PointTransaction = z
	.object({
		id: Id,
		memberId: CommunityMemberId.nullable().meta({
			description: 'The membership id; null if the person is no longer a member',
		}),
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
	summary: 'Award points to a member, or deduct points',
	description:
		'The balance is the sum of all transactions and may be negative. Send an `Idempotency-Key` so that a retry does not award the points twice. Returns 404 if the member belongs to another community.',
	auth: 'write',
	audit: 'none: content',
	params: CommunityParams,
	body: z.object({
		memberId: CommunityMemberId,
		points: z
			.int()
			.min(-1_000_000)
			.max(1_000_000)
			.refine((points) => points !== 0, 'must not be 0'),
		reason: Line.min(1).max(200),
	}),
	status: 201,
	response: data(PointTransaction),
})

export const listPoints = operation({
	id: 'listPoints',
	method: 'get',
	path: '/v1/communities/{communityId}/points',
	summary: 'List the point transactions of a community, newest first',
	auth: 'read',
	params: CommunityParams,
	query: PageQuery,
	paged: true,
	response: dataPage(PointTransaction),
})

export const getMemberPoints = operation({
	id: 'getMemberPoints',
	sdk: 'communities.points.getBalance',
	method: 'get',
	path: '/v1/communities/{communityId}/members/{memberId}/points',
	summary: 'Get the point balance of a member',
	auth: 'read',
	params: CommunityParams.extend({ memberId: pathInt }),
	response: data(z.object({ memberId: CommunityMemberId, balance: z.int() })),
})
