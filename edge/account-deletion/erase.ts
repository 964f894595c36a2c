import { eq, type SQL, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import {
	accountDeletionLogs as logs,
	accountDeletionReminders as reminders,
	accountDeletionRequests as requests,
} from '#schema/tables/account-deletion.ts'
import { assets } from '#schema/tables/assets.ts'
import { orgMembers, orgs, users } from '#schema/tables/identity.ts'
import { comments, reactionCounts, reactions } from '#schema/tables/playback.ts'
import { renditions } from '#schema/tables/transcoding.ts'
import { storedAt } from '../assets/storage-keys.ts'
import { slugStem } from '../orgs/slug.ts'
import type { Db } from '../platform/database.ts'
import { recordEvent } from '../platform/outbox.ts'
import { recordPurges } from '../platform/storage-purge.ts'
import { handOverCommunities } from './communities.ts'
import type { Leaver } from './leaver.ts'
import { recordErasure } from './ledger-store.ts'
import { columnsOf, heldBy, orgKeys, type PersonKey, tableOf } from './person-columns.ts'
import { maySucceed } from './store.ts'

/** Rows of one key that the final batch takes on; what is above that goes before it, in steps. */
export const KEPT_FOR_BATCH = 1_000
/** Rows of one step: short enough that everyone else's reads and writes fit in between. */
export const STEP_ROWS = 2_000

/** A picked row goes, or forgets whose it was; of content that was deleted before, the words go in any case. */
function eraseRows(db: Db, key: PersonKey, which: SQL, leaver: Leaver, now: number) {
	const table = tableOf(key.column)
	const goes = key.fate === 'delete' || (key.isContent && leaver.deleteContent)
	if (goes && !key.texts) return db.delete(table).where(which)
	const words = Object.entries(key.texts ?? {}).map(([name, none]) => {
		const column = columnsOf(table).find((one) => one.name === name)
		return [name, goes ? none : sql`case when deleted_at is null then ${column} else ${none} end`]
	})
	return db
		.update(table)
		.set({
			// A column's name is the key of the table's object (`casing`); what it is called in SQL is made from it.
			[key.column.name]: null,
			...Object.fromEntries(words),
			...(goes && { deletedAt: sql`coalesce(deleted_at, ${now})` }),
		})
		.where(which)
}

/** What counts the rows is put right, then they go. */
const eraseSome = (
	db: Db,
	key: PersonKey,
	which: SQL,
	leaver: Leaver,
	now: number,
): BatchItem<'sqlite'>[] => {
	const rows = sql`(select rowid from ${tableOf(key.column)} where ${which})`
	return [...(key.settle?.(db, rows, leaver, now) ?? []), eraseRows(db, key, which, leaver, now)]
}

/**
 * One step of what goes before the final batch. False when so little is left that the batch can do it: an ordinary
 * account goes in the batch as a whole, all or nothing.
 */
export async function eraseStep(db: Db, key: PersonKey, leaver: Leaver, now: number): Promise<boolean> {
	const table = tableOf(key.column)
	const early = key.early ? sql`${heldBy(key, leaver)} and ${key.early}` : heldBy(key, leaver)
	const [beyond] = await db.all<{ one: number }>(
		sql`select 1 as one from ${table} where ${early} limit 1 offset ${KEPT_FOR_BATCH}`,
	)
	if (!beyond) return false
	// In an order, so that every statement of the step means the same rows.
	const some = sql`rowid in (select rowid from ${table} where ${early} order by rowid limit ${STEP_ROWS})`
	const [first, ...more] = eraseSome(db, key, some, leaver, now)
	if (first) await db.batch([first, ...more])
	return true
}

/** Organizations that nobody else is in. */
const deserted = (userId: number) =>
	sql`(select mine.org_id from ${orgMembers} as mine where mine.user_id = ${userId} and not exists (select 1 from ${orgMembers} as other where other.org_id = mine.org_id and other.user_id <> ${userId}))`

/** Who inherits what has no other owner: not someone who is leaving too, rather an admin, rather who is there longest. */
const heirs = (userId: number) => sql`(
	select ranked.heir from (
		select member.rowid as heir, row_number() over (
			partition by member.org_id
			order by exists (select 1 from ${requests} as also where also.user_id = member.user_id and also.status in ('pending', 'confirmed')),
				case member.role when 'admin' then 0 else 1 end, member.created_at, member.user_id
		) as place
		from ${orgMembers} as mine join ${orgMembers} as member on member.org_id = mine.org_id and member.user_id <> mine.user_id
		where mine.user_id = ${userId} and mine.role = 'owner' and not exists (
			select 1 from ${orgMembers} as owner where owner.org_id = mine.org_id and owner.role = 'owner' and owner.user_id <> mine.user_id
		)
	) as ranked where ranked.place = 1
)`

/** Objects of a person and of an organization lie under prefixes of their own, in both buckets. */
function purgeObjects(db: Db, { userId }: Leaver, now: number) {
	const buckets = sql`(select 'vault' as bucket union all select 'media') as store`
	const prefixes = sql`(select ${`users/${userId}/`} as prefix union all select 'orgs/' || gone.org_id || '/' from ${deserted(userId)} as gone) as own`
	return recordPurges(db, sql`select store.bucket, own.prefix from ${buckets}, ${prefixes}`, now)
}

/** Videos of organizations that nobody else is in: what viewers left at them, and what is stored. */
function eraseVideos(db: Db, { userId }: Leaver, now: number) {
	const gone = sql`${assets.orgId} in ${deserted(userId)}`
	const ofThem = sql`(select id from ${assets} where ${gone})`
	return [
		recordPurges(db, storedAt(gone), now),
		db.delete(comments).where(sql`${comments.assetId} in ${ofThem}`),
		db.delete(reactions).where(sql`${reactions.assetId} in ${ofThem}`),
		db.delete(reactionCounts).where(sql`${reactionCounts.assetId} in ${ofThem}`),
		db.delete(renditions).where(sql`${renditions.assetId} in ${ofThem}`),
	]
}

/** What a signup calls the organization it makes (edge/identity/signup.ts): the person's name, in name and slug. */
function scrubOrgNames(db: Db, { userId, name }: Leaver, now: number) {
	const given = `${name}’s organization`.slice(0, 100)
	const stem = slugStem(name)
	const slugIsTheirs =
		stem === ''
			? sql`0`
			: sql`substr(${orgs.slug}, 1, ${stem.length + 1}) = ${`${stem}-`} and length(${orgs.slug}) = ${stem.length + 9}`
	return db
		.update(orgs)
		.set({
			name: sql`case when ${orgs.name} = ${given} then 'Organization' else ${orgs.name} end`,
			slug: sql`case when ${slugIsTheirs} then 'org-' || lower(hex(randomblob(8))) else ${orgs.slug} end`,
			updatedAt: now,
		})
		.where(
			sql`${orgs.id} in (select org_id from ${orgMembers} where user_id = ${userId}) and (${orgs.name} = ${given} or ${slugIsTheirs})`,
		)
}

/**
 * The final batch: everything or nothing. It aborts by an error of its first statement (bad JSON) unless the request
 * is confirmed and its execution has begun, since a condition cannot end a batch otherwise.
 */
export function eraseBatch(
	db: Db,
	leaver: Leaver,
	keys: readonly PersonKey[],
	now: number,
	ledgerMs: number,
): [BatchItem<'sqlite'>, ...BatchItem<'sqlite'>[]] {
	const { requestId, userId } = leaver
	const others = sql`(select ${requests.id} from ${requests} where ${requests.userId} = ${userId})`
	return [
		db
			.select({
				proceeds: sql`case when exists (select 1 from ${requests} where ${requests.id} = ${requestId} and ${requests.userId} = ${userId} and ${requests.status} = 'confirmed' and ${requests.executingAt} is not null and ${maySucceed}) then 1 else json('abort') end`,
			})
			.from(sql`(select 1) as guard`),
		purgeObjects(db, leaver, now),
		scrubOrgNames(db, leaver, now),
		db
			.update(orgMembers)
			.set({ role: 'owner' })
			.where(sql`rowid in ${heirs(userId)}`),
		...eraseVideos(db, leaver, now),
		...handOverCommunities(db, userId, deserted(userId), now),
		...orgKeys.map((column) => db.delete(tableOf(column)).where(sql`${column} in ${deserted(userId)}`)),
		db.delete(orgs).where(sql`${orgs.id} in ${deserted(userId)}`),
		...keys.flatMap((key) => eraseSome(db, key, heldBy(key, leaver), leaver, now)),
		db
			.update(requests)
			.set({
				status: 'completed',
				completedAt: now,
				userId: null,
				tokenNonce: null,
				cancellationTokenHash: null,
			})
			.where(eq(requests.id, requestId)),
		db
			.update(logs)
			.set({ details: sql`json_remove(${logs.details}, '$.ip_address')` })
			.where(eq(logs.deletionRequestId, requestId)),
		db.insert(logs).values({ deletionRequestId: requestId, action: 'executed', details: {}, createdAt: now }),
		recordErasure(db, {
			id: requestId,
			userId,
			deleteContent: leaver.deleteContent,
			completedAt: now,
			purgeAfter: now + ledgerMs,
		}),
		recordEvent(db, now, { type: 'account.erased', orgId: null, payload: { requestId } }),
		// What is left of them are requests that they cancelled.
		db.delete(logs).where(sql`${logs.deletionRequestId} in ${others}`),
		db.delete(reminders).where(sql`${reminders.deletionRequestId} in ${others}`),
		db.delete(requests).where(eq(requests.userId, userId)),
		db.delete(users).where(eq(users.id, userId)),
	]
}
