import { eq, type SQL, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import {
	accountDeletionLogs as logs,
	accountDeletionReminders as reminders,
	accountDeletionRequests as requests,
} from '#schema/tables/account-deletion.ts'
import { orgMembers, orgs, users } from '#schema/tables/identity.ts'
import { slugStem } from '../orgs/slug.ts'
import type { Db } from '../platform/database.ts'
import { recordEvent } from '../platform/outbox.ts'
import { handOverCommunities } from './communities.ts'
import { desertedPortions } from './deserted.ts'
import type { Leaver } from './leaver.ts'
import { recordErasure } from './ledger-store.ts'
import { columnsOf, heldBy, type PersonKey, personKeys, tableOf } from './person-columns.ts'
import type { Portion } from './portion.ts'
import { maySucceed } from './store.ts'

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

/** The rows of a person that a key finds. What counts them is put right, then they go. */
function portionOf(db: Db, key: PersonKey, leaver: Leaver, now: number): Portion {
	const table = tableOf(key.column)
	return {
		table,
		where: heldBy(key, leaver),
		early: key.early,
		erase: (which) => [
			...(key.settle?.(db, sql`(select rowid from ${table} where ${which})`, leaver, now) ?? []),
			eraseRows(db, key, which, leaver, now),
		],
	}
}

/** Everything that goes, but for what the final batch says of its own. */
export const portionsOf = (db: Db, leaver: Leaver, now: number): Portion[] => [
	...desertedPortions(db, leaver.userId, now),
	...personKeys.map((key) => portionOf(db, key, leaver, now)),
]

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
	portions: readonly Portion[],
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
		scrubOrgNames(db, leaver, now),
		db
			.update(orgMembers)
			.set({ role: 'owner' })
			.where(sql`rowid in ${heirs(userId)}`),
		...handOverCommunities(db, userId, now),
		...portions.flatMap(({ where, erase }) => erase(where)),
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
