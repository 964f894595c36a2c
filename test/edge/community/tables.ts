import type { World } from '../../support/edge/world.ts'

/** A row with number, text, nullable number and nullable text columns, in this order. */
type Row<
	N extends string,
	T extends string = never,
	ON extends string = never,
	OT extends string = never,
> = Record<N, number> & Record<T, string> & Record<ON, number | null> & Record<OT, string | null>

export type Tables = {
	users: Row<'id', 'name' | 'email'>[]
	communities: Row<'id', 'name' | 'slug'>[]
	memberships: Membership[]
	spaces: Space[]
	access_groups: Row<'id', 'status'>[]
	access_group_members: Row<'access_group_id' | 'membership_id', never, 'expires_at'>[]
	access_group_spaces: Row<'access_group_id' | 'space_id'>[]
	posts: Post[]
	post_comments: Comment[]
	images: Row<'id' | 'post_id', 'content_type', 'width' | 'height', 'alt'>[]
	tags: Row<'id', 'name' | 'slug'>[]
	space_topics: Row<'space_id' | 'tag_id' | 'posts_count'>[]
	post_reactions: Reaction[]
	bookmarks: Row<'id' | 'user_id' | 'community_id' | 'post_id' | 'created_at'>[]
	post_followers: (Row<'id' | 'user_id' | 'post_id'> & { unfollowed_at: number | null })[]
	events: Event[]
	event_rsvps: Row<'id' | 'event_id' | 'membership_id' | 'created_at', 'status'>[]
	notifications: Notification[]
	cancelled_events: Row<'id' | 'community_id' | 'space_id' | 'created_at', 'title'>[]
	flags: Flag[]
	profile_fields: Row<'id' | 'community_id' | 'position', 'key' | 'label' | 'field_type'>[]
}
export type Membership = Row<
	'id' | 'community_id' | 'user_id' | 'created_at',
	'role' | 'status' | 'profile' | 'spaces_seen',
	never,
	'name' | 'avatar_url' | 'headline' | 'bio'
>
export type Space = Row<
	'id' | 'community_id' | 'position' | 'posts_count',
	'name' | 'slug' | 'space_type' | 'visibility' | 'description' | 'post_policy' | 'comment_policy',
	'space_group_id',
	'emoji'
>
export type Post = Row<
	'id' | 'community_id' | 'space_id' | 'comments_count' | 'created_at' | 'updated_at',
	'body' | 'topics',
	'author_id' | 'deleted_at' | 'hidden_at',
	'title' | 'hidden_reason'
>
export const topicIds = ({ topics }: Post): number[] => JSON.parse(topics)
export type Comment = Row<
	'id' | 'community_id' | 'post_id' | 'replies_count' | 'created_at' | 'updated_at',
	'body',
	'parent_id' | 'author_id' | 'deleted_at' | 'hidden_at',
	'hidden_reason'
>
type Reaction = Row<'id' | 'membership_id' | 'created_at', 'emoji', 'post_id' | 'comment_id' | 'image_id'>
export type Event = Row<
	| 'id'
	| 'community_id'
	| 'starts_at'
	| 'ends_at'
	| 'created_at'
	| 'waitlist_enabled'
	| 'going_count'
	| 'waitlisted_count',
	'title' | 'description',
	'space_id' | 'host_id' | 'capacity',
	'in_person_location' | 'virtual_url'
>
export type Notification = Row<
	'id' | 'membership_id' | 'subject_id' | 'created_at',
	'kind',
	'actor_id' | 'read_at'
>
type Flag = Row<
	'id' | 'community_id' | 'membership_id' | 'created_at',
	'reason',
	'post_id' | 'comment_id' | 'dismissed_at'
>

export const readTables = async (world: World) => (await world.dump()) as unknown as Tables
