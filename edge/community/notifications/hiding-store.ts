import { type SQL, sql } from 'drizzle-orm'
import { notifications } from '#schema/tables/community/notifications.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import { selectSpacesVisibleToMember, type Viewer, visibleSpaces } from '../access/visible-spaces.ts'
import { isNotMuted } from './notify-store.ts'

/** Selects the author as `m`, unless it is the moderator. Names no actor: the notification is from the moderators. */
const authors = (viewer: Viewer, authorId: SQL) => sql`
	cross join spaces s on s.id = p.space_id
	cross join memberships m on m.community_id = p.community_id and m.user_id = ${authorId}
	where ${visibleSpaces(viewer)}
		and m.id <> ${viewer.membershipId}
		and ${selectSpacesVisibleToMember(viewer.now)}
`

const insertStatement = (db: Db, viewer: Viewer, recipients: SQL) =>
	insertSelect(
		db,
		notifications,
		{
			membershipId: sql`t.membership_id`,
			kind: sql`t.kind`,
			subjectId: sql`t.subject_id`,
			createdAt: viewer.now,
		},
		sql`from (${recipients}) t where ${isNotMuted}`,
	)
		.onConflictDoUpdate({
			target: [notifications.membershipId, notifications.kind, notifications.subjectId],
			targetWhere: sql`read_at is null`,
			set: { createdAt: sql`excluded.created_at` },
		})
		.returning({ id: notifications.id, membershipId: notifications.membershipId, kind: notifications.kind })

/**
 * Returns a statement that notifies the author of a post that a moderator hides or restores. Must run in the batch of that
 * change, before it, with the same `condition` on the post `p`: a repeated call then notifies no one.
 */
export const notifyAuthorStatement = (
	db: Db,
	viewer: Viewer,
	kind: 'post_hidden' | 'post_restored',
	postId: number,
	condition: SQL,
) =>
	insertStatement(
		db,
		viewer,
		sql`
			select m.id as membership_id, p.id as subject_id, ${kind} as kind from posts p
			${authors(viewer, sql`p.author_id`)} and p.id = ${postId} and ${condition}
		`,
	)

/** The same for a comment `x` and its replies. Who wrote several of them is notified once, about the first. */
export const notifyAuthorsStatement = (
	db: Db,
	viewer: Viewer,
	kind: 'comment_hidden' | 'comment_restored',
	commentId: number,
	condition: SQL,
) =>
	insertStatement(
		db,
		viewer,
		sql`
			select found.membership_id, found.subject_id, ${kind} as kind from (
				select m.id as membership_id, min(x.id) as subject_id from post_comments x
				cross join posts p on p.id = x.post_id
				${authors(viewer, sql`x.author_id`)}
					and p.deleted_at is null
					and x.id in (
						select ${commentId}
						union all
						select y.id from post_comments y where y.parent_id = ${commentId}
					)
					and ${condition}
				group by m.id
			) found
		`,
	)
