import { z } from 'zod'
import { openBySpecification } from '../../kit/bodies/open-bodies.ts'
import { Line, PersonName, pathInt, Timestamp, UserId, WebUrl } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import {
	CommunityMemberId,
	CommunityRole,
	describeSearch,
	fixedListSchema,
	Id,
	openListSchema,
	SearchQuery,
	Success,
} from '../fields.ts'
import { updateSchema } from '../manage/communities.ts'
import { describePaging, timeOrderQuery } from '../time-order.ts'

const operation = describeOperations('Community: members')

export const FieldType = z.enum([
	'text',
	'textarea',
	'number',
	'date',
	'url',
	'select',
	'multi_select',
	'checkbox',
])

export const ProfileValue = z.union([
	z.string().max(5_000),
	z.number(),
	z.boolean(),
	z.array(z.string().max(100)).max(100),
])
export type ProfileValue = z.infer<typeof ProfileValue>

/** Values by key of the profile field. */
export const ProfileValues = z
	.record(z.string().max(100), ProfileValue.nullable())
	.refine((values) => Object.keys(values).length <= 100, 'must have at most 100 fields')
	.meta({
		description:
			'Values by field key. The type of the field decides the value: a string for `text`, `textarea` and `url`, a number for `number`, a boolean for `checkbox`, `YYYY-MM-DD` for `date`, an option for `select`, an array of options for `multi_select`. null removes the value of a field that is not required.',
	})
export type ProfileValues = z.infer<typeof ProfileValues>

export const MemberProfile = z
	.object({
		id: Id.meta({ description: 'The membership id' }),
		community_member_id: CommunityMemberId,
		user_id: UserId,
		name: z.string(),
		avatar_url: z.string().nullable(),
		headline: z.string().nullable(),
		bio: z.string().nullable(),
		role: CommunityRole,
		created_at: Timestamp,
		comments_count: z.int().nonnegative().meta({
			description:
				'Number of comments and replies of the member in all spaces of the community. Excludes deleted and hidden ones, and those under a deleted or hidden post',
		}),
		followers_count: z
			.int()
			.nonnegative()
			.meta({ description: 'Number of people who follow a post of the member' }),
		profile_fields: z
			.array(
				z.object({
					id: Id,
					key: z.string(),
					label: z.string(),
					field_type: FieldType,
					value: ProfileValue.nullable(),
				}),
			)
			.meta({
				description:
					'Every profile field of the community by position; `value` is null if the member left it empty',
			}),
	})
	.meta({ id: 'MemberProfile' })
export type MemberProfile = z.infer<typeof MemberProfile>

export const MemberCard = MemberProfile.omit({
	comments_count: true,
	followers_count: true,
	profile_fields: true,
}).meta({ id: 'MemberCard' })

export const listMemberCards = operation({
	id: 'listMemberCards',
	method: 'get',
	path: '/api/headless/v1/community_members',
	summary: 'List active members, oldest first',
	description: describePaging('members'),
	auth: 'member',
	query: timeOrderQuery('oldest'),
	paged: true,
	response: openListSchema(MemberCard),
})

export const searchMembers = operation({
	id: 'searchMembers',
	method: 'get',
	path: '/api/headless/v1/search/community_members',
	summary: 'Search active members by name, headline and bio',
	description: describeSearch('members'),
	auth: 'member',
	query: SearchQuery,
	response: openListSchema(MemberCard),
})

export const updateProfile = operation({
	id: 'updateProfile',
	method: 'put',
	path: '/api/headless/v1/profile',
	summary: "Update the caller's profile in the community",
	auth: 'member',
	audit: 'none: own membership',
	description:
		'Omitted fields keep their values. A user may change names 20 times a day, in the account and all communities together (429).',
	body: updateSchema({
		name: PersonName.nullable().meta({
			description:
				'The name of the caller in this community; null for the name of the account, which PATCH /v1/auth/me changes',
		}),
		avatar_url: WebUrl.nullable().meta({
			description:
				'The URL of an external image. Setting another URL deletes an avatar that was uploaded with PUT /api/headless/v1/profile/avatar',
		}),
		headline: Line.max(200).nullable(),
		bio: z.string().trim().max(2000).nullable(),
		profile_fields: ProfileValues,
	}),
	response: MemberProfile,
	errors: ['not_configured'],
})

export const deactivateMember = operation({
	id: 'deactivateMember',
	method: 'delete',
	path: '/api/headless/v1/community_member/deactivate',
	summary: 'Leave the community',
	description:
		"The membership becomes inactive, tokens and streams end, and places at events that have not ended go to the waitlist. All content is kept, and an admin can reactivate the membership. Owners and admins can't leave (403); change their role first.",
	auth: 'member',
	audit: 'community_member.left',
	openBody: openBySpecification,
	response: Success,
})

export const getPublicProfile = operation({
	id: 'getPublicProfile',
	method: 'get',
	path: '/api/headless/v1/community_members/{memberId}/public_profile',
	summary: 'Get the public profile of a member',
	description: 'Returns 404 for inactive and banned members, and for invited people.',
	auth: 'member',
	params: z.object({ memberId: pathInt }),
	response: MemberProfile,
})

export const getCurrentMember = operation({
	id: 'getCurrentMember',
	method: 'get',
	path: '/api/headless/v1/community_member',
	summary: "Get the caller's own membership and profile",
	auth: 'member',
	response: MemberProfile.extend({
		email: z.string().nullable(),
		community: z.object({
			id: Id,
			name: z.string(),
			slug: z.string(),
			reactions: z.array(z.string()).meta({
				description: 'Names that the community accepts as reactions, besides emojis and `like`',
			}),
		}),
	}).meta({ id: 'CurrentMember' }),
})

export const ProfileField = z
	.object({
		id: Id,
		key: z.string(),
		label: z.string(),
		field_type: FieldType,
		required: z.boolean(),
		options: z.array(z.string()),
	})
	.meta({ id: 'ProfileField' })

export const listProfileFields = operation({
	id: 'listProfileFields',
	method: 'get',
	path: '/api/headless/v1/profile_fields',
	summary: 'List the profile fields of the community by position',
	auth: 'member',
	response: fixedListSchema(ProfileField),
})

export const listPageProfileFields = operation({
	id: 'listPageProfileFields',
	method: 'get',
	path: '/api/headless/v1/page_profile_fields',
	summary: 'List profile fields under an alternative path',
	description: 'The same as `GET /api/headless/v1/profile_fields`, for clients that use this path.',
	auth: 'member',
	response: fixedListSchema(ProfileField),
})
