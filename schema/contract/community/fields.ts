import { z } from 'zod'
import { queryInt, Timestamp } from '../kit/fields.ts'

export const CommunityRole = z.enum(['owner', 'admin', 'moderator', 'member'])
export type CommunityRole = z.infer<typeof CommunityRole>

export const MembershipStatus = z.enum(['invited', 'active', 'inactive', 'banned'])
export type MembershipStatus = z.infer<typeof MembershipStatus>

export const SpaceType = z.enum(['basic', 'event', 'image', 'members', 'chat', 'course'])
export const SpaceVisibility = z.enum(['public', 'private', 'secret'])

export const SpacePolicy = z.enum(['everyone', 'moderators', 'admins', 'nobody'])
export type SpacePolicy = z.infer<typeof SpacePolicy>

export const Id = z.int().positive()

export const Success = z.object({ success: z.literal(true) }).meta({ id: 'Success' })

export const SpaceRef = z.object({ id: Id, name: z.string(), slug: z.string() }).meta({ id: 'SpaceRef' })
export type SpaceRef = z.infer<typeof SpaceRef>

/**
 * The id of a membership, whereas `user_id` is the id of a user. Followers are the one exception: the specification
 * puts the user id into `community_member_id` there.
 */
export const CommunityMemberId = Id.meta({
	description: 'The membership id, as used in `/community_members/{memberId}`',
})

export const Author = z
	.object({
		id: Id.meta({
			description: 'The user id, which is the same in every community; no path of this API takes it',
		}),
		community_member_id: CommunityMemberId.nullable().meta({
			description:
				'The membership id, as used in `/community_members/{memberId}`; null if the author is no longer a member. Inactive and banned members have an id but no public profile.',
		}),
		name: z.string(),
		avatar_url: z.string().nullable(),
		role: CommunityRole.nullable().meta({ description: 'null unless the author is an active member' }),
		headline: z.string().nullable().meta({ description: 'null unless the author is an active member' }),
	})
	.meta({ id: 'Author' })
	.nullable()
	.meta({ description: 'null if the user was deleted' })
export type Author = z.infer<typeof Author>

export const ReactionCounts = z
	.record(z.string(), z.int())
	.meta({ description: 'Number of members who reacted with each emoji' })

/** The reactions `like` of a target, under the names that clients of Circle read. */
export const likeFields = {
	is_liked: z.boolean().meta({ description: 'The reaction of the caller is `like`' }),
	user_likes_count: z.int().nonnegative().meta({ description: 'Number of members who reacted with `like`' }),
}

/** Why content is visible only to its author and moderators. */
export const hiddenFields = {
	hidden_at: Timestamp.nullable().meta({
		description: 'When a moderator hid it; such content is returned only to its author and to moderators',
	}),
	hidden_reason: z.string().nullable().meta({
		description:
			'The reason that the moderator gave; for a reply that was hidden with its comment, `The comment above was hidden`',
	}),
}

/** The envelope of unpaged lists: always page 1 of 1 with 20 per page, whatever the number of records. */
export const fixedListSchema = <S extends z.ZodType>(record: S) =>
	z.object({
		page: z.literal(1),
		per_page: z.literal(20),
		has_next_page: z.literal(false),
		count: z.int().nonnegative(),
		page_count: z.literal(1),
		records: z.array(record),
	})

export const ListQuery = z.object({
	page: queryInt(1, Number.MAX_SAFE_INTEGER, 1),
	per_page: queryInt(1, 100, 20),
})
export type ListQuery = z.infer<typeof ListQuery>

export const SearchQuery = ListQuery.extend({
	search_text: z.string().trim().min(1).max(200),
})

/** Returns the description of a search. */
export const describeSearch = (items: string) =>
	`Finds ${items} that contain every word of \`search_text\`, or a longer word that starts with it. Case and accents are ignored. If there are no such ${items}, finds ${items} that contain the text as a substring. Changes are searchable after a few seconds. For very common words, only the newest 2,000 ${items} are searched.`

export const pagedListSchema = <S extends z.ZodType>(record: S) =>
	z.object({
		page: z.int().positive(),
		per_page: z.int().positive(),
		has_next_page: z.boolean(),
		count: z.int().nonnegative(),
		page_count: z.int().positive(),
		records: z.array(record),
	})

/** The envelope of paged lists without a total, because counting long lists would be expensive. */
export const openListSchema = <S extends z.ZodType>(record: S) =>
	z.object({
		page: z.int().positive(),
		per_page: z.int().positive(),
		has_next_page: z.boolean(),
		records: z.array(record),
	})
