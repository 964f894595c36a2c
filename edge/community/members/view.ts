import type { MemberProfile, ProfileValue } from '#schema/contract/community/member/members.ts'
import { toIso } from '../../platform/clock.ts'
import type { ProfileFieldRow } from '../profile-fields/store.ts'
import { isValidValue } from './profile-values.ts'
import type { CardRow, ProfileRow } from './store.ts'

type ProfileField = Omit<ProfileFieldRow, 'communityId' | 'createdAt' | 'required'>

export const viewMemberCard = (row: CardRow) => ({
	id: row.id,
	community_member_id: row.id,
	user_id: row.userId,
	name: row.name,
	avatar_url: row.avatarUrl,
	headline: row.headline,
	bio: row.bio,
	role: row.role,
	created_at: toIso(row.createdAt),
})

/** Returns all fields of the community in their order. The value is null if it is no longer valid for its field. */
function valuesOf({ profile, fields }: ProfileRow): MemberProfile['profile_fields'] {
	const values = JSON.parse(profile) as Record<string, ProfileValue>
	return (JSON.parse(fields) as ProfileField[])
		.sort((a, b) => a.position - b.position || a.id - b.id)
		.map((field) => {
			const value = values[field.id]
			const { id, key, label, fieldType: field_type } = field
			return {
				id,
				key,
				label,
				field_type,
				value: value !== undefined && isValidValue(field, value) ? value : null,
			}
		})
}

export const viewProfile = (row: ProfileRow): MemberProfile => ({
	...viewMemberCard(row),
	comments_count: row.commentsCount,
	followers_count: row.followersCount,
	profile_fields: valuesOf(row),
})

export const viewCurrentMember = (row: ProfileRow) => ({
	...viewProfile(row),
	email: row.email,
	community: {
		id: row.communityId,
		name: row.communityName,
		slug: row.communitySlug,
		reactions: JSON.parse(row.communityReactions) as string[],
	},
})

export const viewProfileField = (row: ProfileFieldRow) => ({
	id: row.id,
	key: row.key,
	label: row.label,
	field_type: row.fieldType,
	required: row.required,
	options: row.options,
})
