import { z } from 'zod'
import { pathInt, Timestamp, UserId, WebUrl } from '../fields.ts'
import { operation } from '../operation.ts'
import { changesOf } from './communities.ts'
import {
	CommunityRole,
	fixedList,
	Id,
	ListQuery,
	openList,
	SearchQuery,
	Success,
	searchedFor,
} from './fields.ts'

const tag = 'Community: members'

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

export const MemberProfile = z
	.object({
		id: Id.meta({ description: 'The membership' }),
		user_id: UserId,
		name: z.string(),
		avatar_url: z.string().nullable(),
		headline: z.string().nullable(),
		bio: z.string().nullable(),
		role: CommunityRole,
		created_at: Timestamp,
		comments_count: z.int().nonnegative().meta({ description: 'Comments of the member in the community' }),
		followers_count: z
			.int()
			.nonnegative()
			.meta({ description: 'People who follow a post of the member, each counted once' }),
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
				description: 'Every field of the community in its order; null where the member tells nothing',
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
	tag,
	summary: 'Active members of the community, who joined first first',
	auth: 'member',
	query: ListQuery,
	status: 200,
	response: openList(MemberCard),
})

export const searchMembers = operation({
	id: 'searchMembers',
	method: 'get',
	path: '/api/headless/v1/search/community_members',
	tag,
	summary: 'Active members by words of their name, headline and bio',
	description: searchedFor('members'),
	auth: 'member',
	query: SearchQuery,
	status: 200,
	response: openList(MemberCard),
})

export const updateProfile = operation({
	id: 'updateProfile',
	method: 'put',
	path: '/api/headless/v1/profile',
	tag,
	summary: 'Change what the caller tells of themselves in the community; what is left out stays',
	auth: 'member',
	body: changesOf({
		avatar_url: WebUrl.nullable(),
		headline: z.string().trim().max(200).nullable(),
		bio: z.string().trim().max(2000).nullable(),
		profile_fields: z
			.record(z.string().max(100), ProfileValue.nullable())
			.refine((values) => Object.keys(values).length <= 100, 'names more than 100 fields')
			.meta({
				description:
					'Values by the keys of the community’s fields: text, textarea and url a string, number a number, checkbox a boolean, date `YYYY-MM-DD`, select one of its options, multi_select an array of them. null takes a value out, which a required field refuses.',
			}),
	}),
	status: 200,
	response: MemberProfile,
})

export const deactivateMember = operation({
	id: 'deactivateMember',
	method: 'delete',
	path: '/api/headless/v1/community_member/deactivate',
	tag,
	summary: 'Leave the community',
	description:
		'The membership becomes inactive: tokens and streams end, and everything stays as it is for the day somebody makes it active again. Owners and admins cannot (403): someone has to be there.',
	auth: 'member',
	status: 200,
	response: Success,
})

export const getPublicProfile = operation({
	id: 'getPublicProfile',
	method: 'get',
	path: '/api/headless/v1/community_members/{memberId}/public_profile',
	tag,
	summary: 'What everyone in the community may know of a member',
	description: 'Members who are invited, inactive or banned are 404.',
	auth: 'member',
	params: z.object({ memberId: pathInt }),
	status: 200,
	response: MemberProfile,
})

export const getCurrentMember = operation({
	id: 'getCurrentMember',
	method: 'get',
	path: '/api/headless/v1/community_member',
	tag,
	summary: 'The caller as a member of the community',
	auth: 'member',
	status: 200,
	response: MemberProfile.extend({
		email: z.string(),
		community: z.object({ id: Id, name: z.string(), slug: z.string() }),
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
	tag,
	summary: 'Fields that the profiles of the community have, in their order',
	auth: 'member',
	status: 200,
	response: fixedList(ProfileField),
})

export const listPageProfileFields = operation({
	id: 'listPageProfileFields',
	method: 'get',
	path: '/api/headless/v1/page_profile_fields',
	tag,
	summary: 'The same as profile_fields, under the name that some clients know',
	auth: 'member',
	status: 200,
	response: fixedList(ProfileField),
})
