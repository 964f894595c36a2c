import { and, eq, type SQL, sql } from 'drizzle-orm'
import { memberships } from '#schema/tables/community/community.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Db } from '../../platform/database/database.ts'
import {
	announceObjectStatement,
	isAnnounced,
	keepAnnouncedStatement,
} from '../../platform/storage/announced-objects.ts'
import { recordPurgesStatement } from '../../platform/storage/storage-purge.ts'
import { isStillMember, type Viewer } from '../access/visible-spaces.ts'

const BUCKET = 'vault'

/** Records the purge of uploaded avatars. Must run before the selected memberships `m` change their avatar or are deleted. */
export const purgeAvatars = (db: Db, which: SQL, now: number) =>
	recordPurgesStatement(
		db,
		sql`
			select ${BUCKET} as bucket, m.avatar_key as prefix from memberships m
			where m.avatar_key is not null and ${which}
		`,
		now,
	)

/** Returns the columns for a new avatar URL. Setting the current URL again keeps the uploaded image. */
export const avatarColumns = (avatarUrl: string | null) => ({
	avatarUrl,
	avatarKey: sql`case when avatar_url is ${avatarUrl} then avatar_key end`,
})

/** Matches memberships `m` whose avatar changes with this URL. */
export const isReplacedBy = (avatarUrl: string | null): SQL => sql`m.avatar_url is not ${avatarUrl}`

export const avatarStore = (db: Db) => ({
	/** Announces the object before its upload. Returns false if the caller is no longer a member. */
	async announce(viewer: Viewer, key: string, sweepAt: number): Promise<boolean> {
		return (await announceObjectStatement(db, BUCKET, key, sweepAt, isStillMember(viewer))).length === 1
	},

	/** Returns false if the caller is no longer a member, or the upload took too long. */
	async set(viewer: Viewer, avatar: { key: string; url: string }): Promise<boolean> {
		const { membershipId, now } = viewer
		const canSet = and(isStillMember(viewer), isAnnounced(BUCKET, avatar.key, now)) as SQL
		const { avatarChanged } = await batch(db, {
			oldAvatarPurged: purgeAvatars(db, sql`m.id = ${membershipId} and ${canSet}`, now),
			avatarChanged: db
				.update(memberships)
				.set({ avatarUrl: avatar.url, avatarKey: avatar.key, updatedAt: now })
				.where(and(eq(memberships.id, membershipId), canSet))
				.returning({ id: memberships.id }),
			objectKept: keepAnnouncedStatement(db, BUCKET, avatar.key),
		})
		return avatarChanged.length === 1
	},

	/** Returns undefined once the membership or its community is deleted, and while its organization is fully suspended. */
	async findKey(memberId: number): Promise<string | null | undefined> {
		const [row] = await db.all<{ key: string | null }>(
			sql`
				select m.avatar_key as key from memberships m
				join communities c on c.id = m.community_id
				left join orgs o on o.id = c.org_id
				where m.id = ${memberId} and o.suspended_at is null
			`,
		)
		return row?.key
	},
})
