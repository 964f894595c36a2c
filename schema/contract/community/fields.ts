import { z } from 'zod'
import { queryInt } from '../fields.ts'

export const CommunityRole = z.enum(['owner', 'admin', 'moderator', 'member'])
export type CommunityRole = z.infer<typeof CommunityRole>

export const MembershipStatus = z.enum(['invited', 'active', 'inactive', 'banned'])
export type MembershipStatus = z.infer<typeof MembershipStatus>

export const SpaceType = z.enum(['basic', 'event', 'image', 'members', 'chat', 'course'])
export const SpaceVisibility = z.enum(['public', 'private', 'secret'])

export const Id = z.int().positive()

export const Success = z.object({ success: z.literal(true) }).meta({ id: 'Success' })

export const SpaceRef = z.object({ id: Id, name: z.string(), slug: z.string() }).meta({ id: 'SpaceRef' })
export type SpaceRef = z.infer<typeof SpaceRef>

/** null wherever the person has been deleted. */
export const Author = z
	.object({ id: Id, name: z.string(), avatar_url: z.string().nullable() })
	.nullable()
	.meta({ description: 'null once the person is deleted' })
export type Author = z.infer<typeof Author>

/** The envelope of lists that are not paged: it always says page 1 of 1 and 20 a page, and holds every record. */
export const fixedList = <S extends z.ZodType>(record: S) =>
	z.object({
		page: z.literal(1),
		per_page: z.literal(20),
		has_next_page: z.literal(false),
		count: z.int().nonnegative(),
		page_count: z.literal(1),
		records: z.array(record),
	})

export const ListQuery = z.object({
	page: queryInt(1, 999_999_999, 1),
	per_page: queryInt(1, 100, 20),
})
export type ListQuery = z.infer<typeof ListQuery>

export const SearchQuery = ListQuery.extend({
	search_text: z.string().trim().min(1).max(200),
})

/** How search works, for descriptions. */
export const searchedFor = (what: string) =>
	`All words must be there, each as the beginning of one, without regard to case and accents. Where nothing has them, ${what} that hold the text as it stands. A change is found some seconds later. Of words that thousands have, the newest 2,000 ${what} are looked at.`

export const pagedList = <S extends z.ZodType>(record: S) =>
	z.object({
		page: z.int().positive(),
		per_page: z.int().positive(),
		has_next_page: z.boolean(),
		count: z.int().nonnegative(),
		page_count: z.int().positive(),
		records: z.array(record),
	})

/** For lists that may be endless: whether there is more costs nothing, how much there is would. */
export const openList = <S extends z.ZodType>(record: S) =>
	z.object({
		page: z.int().positive(),
		per_page: z.int().positive(),
		has_next_page: z.boolean(),
		records: z.array(record),
	})
