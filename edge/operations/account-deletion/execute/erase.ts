import { eq, type SQL, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import { orgMembers, orgs, users } from '#schema/tables/accounts/identity.ts'
import {
	accountDeletionLogs as logs,
	accountDeletionReminders as reminders,
	accountDeletionRequests as requests,
} from '#schema/tables/operations/account-deletion.ts'
import { toSlugStem } from '../../../accounts/orgs/slug.ts'
import { auditPerRowStatement } from '../../../platform/audit/audit.ts'
import type { Db } from '../../../platform/database/database.ts'
import { recordEventStatement } from '../../../platform/outbox/outbox.ts'
import type { DepartingUser } from '../../../platform/personal-data.ts'
import {
	findColumnTable,
	listTableColumns,
	matchesPerson,
	type PersonalData,
	type PersonKey,
} from '../../../platform/personal-data.ts'
import type { UnitOfWork } from '../../../platform/unit-of-work.ts'
import { recordErasureStatement } from '../ledger/ledger-store.ts'
import { keepsSuperadmin } from '../store.ts'
import { transferCommunitiesStatements } from './communities.ts'
import type { ErasureStep } from './erasure-step.ts'
import { listSoleMemberOrgSteps } from './sole-member-orgs.ts'

/** Deletes or anonymizes the chosen rows. Always erases the text of content that was already deleted. */
function eraseRowsStatement(db: Db, key: PersonKey, which: SQL, user: DepartingUser, now: number) {
	const table = findColumnTable(key.column)
	const isDeleted = key.onDeletion === 'delete' || (key.isContent && user.deleteContent)
	if (isDeleted && !key.texts) return db.delete(table).where(which)
	const textColumns = Object.entries(key.texts ?? {}).map(([name, emptyValue]) => {
		const column = listTableColumns(table).find((candidate) => candidate.name === name)
		return [
			name,
			isDeleted ? emptyValue : sql`case when deleted_at is null then ${column} else ${emptyValue} end`,
		]
	})
	return db
		.update(table)
		.set({
			// `name` is the column's key in TypeScript; the `casing` option derives the SQL name from it.
			[key.column.name]: null,
			...Object.fromEntries(textColumns),
			...(isDeleted && { deletedAt: sql`coalesce(deleted_at, ${now})` }),
		})
		.where(which)
}

/** Builds the step that updates dependents of a person's rows and then erases the rows. */
function createErasureStep(db: Db, key: PersonKey, user: DepartingUser, now: number): ErasureStep {
	const table = findColumnTable(key.column)
	return {
		table,
		where: matchesPerson(key, user),
		early: key.early,
		erase: (which) => [
			...(key.updateDependents?.(db, sql`(select rowid from ${table} where ${which})`, user, now) ?? []),
			eraseRowsStatement(db, key, which, user, now),
		],
	}
}

/** Returns the steps for everything except the rows for which the final batch has statements of its own. */
export const listErasureSteps = (
	db: Db,
	{ personKeys, orgKeys }: PersonalData,
	user: DepartingUser,
	now: number,
): ErasureStep[] => [
	...listSoleMemberOrgSteps(db, orgKeys, user.userId, now),
	...personKeys.map((key) => createErasureStep(db, key, user, now)),
]

/**
 * Selects one new owner per organization. People whose account is not locked come first, then those whose deletion is not
 * requested, then admins, then the earliest members.
 */
const newOwners = (userId: number) => sql`(
	select ranked.successor
	from (
		select member.rowid as successor,
			row_number() over (
				partition by member.org_id
				order by exists (
					select 1 from users as locked where locked.id = member.user_id and locked.locked_at is not null
				),
					exists (
						select 1 from ${requests} as also
						where also.user_id = member.user_id and also.status in ('pending', 'confirmed')
					),
					case member.role when 'admin' then 0 else 1 end, member.created_at, member.user_id
			) as place
		from ${orgMembers} as mine
		join ${orgMembers} as member on member.org_id = mine.org_id and member.user_id <> mine.user_id
		where mine.user_id = ${userId}
			and mine.role = 'owner'
			and not exists (
				select 1 from ${orgMembers} as owner
				where owner.org_id = mine.org_id and owner.role = 'owner' and owner.user_id <> mine.user_id
			)
	) as ranked
	where ranked.place = 1
)`

/** Returns statements that give a new owner to organizations that the person owned alone. */
const transferOrgsStatements = (work: UnitOfWork, userId: number) => [
	auditPerRowStatement(
		work,
		{
			action: 'member.role_changed',
			orgId: sql`heir.org_id`,
			target: { kind: 'user', id: sql`heir.user_id`, userId: sql`heir.user_id` },
			details: sql`json_object('role', 'owner', 'before', heir.role, 'because', 'account_deleted')`,
		},
		sql`from ${orgMembers} as heir where heir.role <> 'owner' and heir.rowid in ${newOwners(userId)}`,
	),
	work.db
		.update(orgMembers)
		.set({ role: 'owner' })
		.where(sql`rowid in ${newOwners(userId)}`),
]

/** Removes the person's name from the name and slug that signup.ts gave their organization. */
function scrubOrgNamesStatement(db: Db, { userId, name }: DepartingUser, now: number) {
	const signupOrgName = `${name}’s organization`.slice(0, 100)
	const stem = toSlugStem(name)
	const hasPersonalSlug =
		stem === ''
			? sql`0`
			: sql`
				substr(${orgs.slug}, 1, ${stem.length + 1}) = ${`${stem}-`}
				and length(${orgs.slug}) = ${stem.length + 9}
			`
	return db
		.update(orgs)
		.set({
			name: sql`case when ${orgs.name} = ${signupOrgName} then 'Organization' else ${orgs.name} end`,
			slug: sql`case when ${hasPersonalSlug} then 'org-' || lower(hex(randomblob(8))) else ${orgs.slug} end`,
			updatedAt: now,
		})
		.where(
			sql`
				${orgs.id} in (select org_id from ${orgMembers} where user_id = ${userId})
				and (${orgs.name} = ${signupOrgName} or ${hasPersonalSlug})
			`,
		)
}

/**
 * Returns the final batch, which erases everything or nothing. Its first statement fails on bad JSON unless the request
 * is confirmed and its execution has begun, because only an error can abort a batch.
 */
export function executeErasure(
	work: UnitOfWork,
	user: DepartingUser,
	steps: readonly ErasureStep[],
	ledgerMs: number,
): [BatchItem<'sqlite'>, ...BatchItem<'sqlite'>[]] {
	const { requestId, userId } = user
	const otherRequests = sql`(select ${requests.id} from ${requests} where ${requests.userId} = ${userId})`
	return [
		work.db
			.select({
				proceeds: sql`
					case
						when exists (
							select 1 from ${requests}
							where ${requests.id} = ${requestId}
								and ${requests.userId} = ${userId}
								and ${requests.status} = 'confirmed'
								and ${requests.executingAt} is not null
								and ${keepsSuperadmin}
						) then 1
						else json('abort')
					end
				`,
			})
			.from(sql`(select 1) as guard`),
		scrubOrgNamesStatement(work.db, user, work.now),
		...transferOrgsStatements(work, userId),
		...transferCommunitiesStatements(work.db, userId, work.now),
		...steps.flatMap(({ where, erase }) => erase(where)),
		work.db
			.update(requests)
			.set({
				status: 'completed',
				completedAt: work.now,
				userId: null,
				tokenNonce: null,
				cancellationTokenHash: null,
			})
			.where(eq(requests.id, requestId)),
		work.db
			.update(logs)
			.set({ details: sql`json_remove(${logs.details}, '$.ip_address')` })
			.where(eq(logs.deletionRequestId, requestId)),
		work.db
			.insert(logs)
			.values({ deletionRequestId: requestId, action: 'executed', details: {}, createdAt: work.now }),
		recordErasureStatement(work.db, {
			id: requestId,
			userId,
			deleteContent: user.deleteContent,
			completedAt: work.now,
			purgeAfter: work.now + ledgerMs,
		}),
		recordEventStatement(work, { type: 'account.erased', orgId: null, payload: { requestId } }),
		// The person's other requests were cancelled earlier.
		work.db.delete(logs).where(sql`${logs.deletionRequestId} in ${otherRequests}`),
		work.db.delete(reminders).where(sql`${reminders.deletionRequestId} in ${otherRequests}`),
		work.db.delete(requests).where(eq(requests.userId, userId)),
		work.db.delete(users).where(eq(users.id, userId)),
	]
}
