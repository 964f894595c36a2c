import type { MemberProfile } from '#schema/contract/community/members.ts'
import { iso } from '../../platform/clock.ts'
import type { ProfileFieldRow } from '../profile-fields/store.ts'
import type { CardRow, ProfileRow } from './store.ts'

export const viewCard = (row: CardRow) => ({
	id: row.id,
	user_id: row.userId,
	name: row.name,
	avatar_url: row.avatarUrl,
	headline: row.headline,
	bio: row.bio,
	role: row.role,
	created_at: iso(row.createdAt),
})

export const viewProfile = (row: ProfileRow): MemberProfile => ({
	...viewCard(row),
	comments_count: row.commentsCount,
	followers_count: row.followersCount,
})

export const viewCurrentMember = (row: ProfileRow) => ({
	...viewProfile(row),
	email: row.email,
	community: { id: row.communityId, name: row.communityName, slug: row.communitySlug },
})

export const viewProfileField = (row: ProfileFieldRow) => ({
	id: row.id,
	key: row.key,
	label: row.label,
	field_type: row.fieldType,
	required: row.required,
	options: row.options,
})
