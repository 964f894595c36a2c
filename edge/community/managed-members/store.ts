import { type SQL, sql } from 'drizzle-orm'
import { accessGroupMembers, memberships } from '#schema/tables/community/community.ts'
import { insertManagedStatement, renameManagedStatement } from '../../accounts/managed/managed-people.ts'
import { type AuditDraft, auditIfStatement } from '../../platform/audit/audit.ts'
import { batch } from '../../platform/database/batch.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import { recordEventIfStatement, recordEventPerRowStatement } from '../../platform/outbox/outbox.ts'
import type { UnitOfWork } from '../../platform/unit-of-work.ts'
import { purgeAvatars } from '../avatars/store.ts'
import { computeFirstNotifyAt } from '../notifications/pending-notification.ts'
import type { Refusal } from './rows.ts'

export type VouchedRow = {
	ssoUserId: string
	memberId: number | null
	isNew: 0 | 1 | null
	refusal: Refusal | null
}

const isNew = sql`p.managed_key = p.key`
const isKnown = sql`p.refusal is null and p.member_id is not null`

type Field = 'email' | 'avatarUrl' | 'headline' | 'bio'

const hasSent = (name: Field) => sql`p.${sql.identifier(`sends_${name}`)} = 1`
const sentValue = (name: Field) => sql`p.${sql.identifier(name)}`
const storedValue = (name: Field) =>
	sql`memberships.${sql.identifier(name === 'avatarUrl' ? 'avatar_url' : name)}`
const differs = (name: Field) => sql`(${hasSent(name)} and ${storedValue(name)} is not ${sentValue(name)})`
const patchedProfile = sql`json_patch(memberships.profile, coalesce(p.profile, '{}'))`
/** An account keeps its own name and address. */
const hasNoAccount = sql`p.managed_key is not null`

/** Holds if the call changes the membership, so that a repeated call changes nothing. */
const isChanged = sql.join(
	[
		sql`memberships.status = 'inactive'`,
		sql`p.name <> coalesce(memberships.name, p.user_name)`,
		sql`${patchedProfile} <> memberships.profile`,
		differs('avatarUrl'),
		differs('headline'),
		differs('bio'),
		sql`${hasNoAccount} and ${differs('email')}`,
	],
	sql` or `,
)

const sentOrStored = (name: Field, condition = sql`true`) =>
	sql`case when ${hasSent(name)} and ${condition} then ${sentValue(name)} else ${storedValue(name)} end`

const updateStatement = ({ db, now }: UnitOfWork, people: SQL) =>
	db
		.update(memberships)
		.set({
			status: 'active',
			// A managed member has the name of its user; the name of an account must not change.
			name: sql`case when p.name is not null and ${hasNoAccount} then null else memberships.name end`,
			email: sentOrStored('email', hasNoAccount),
			avatarUrl: sentOrStored('avatarUrl'),
			avatarKey: sql`case when ${differs('avatarUrl')} then null else memberships.avatar_key end`,
			headline: sentOrStored('headline'),
			bio: sentOrStored('bio'),
			profile: patchedProfile,
			updatedAt: now,
			indexAt: computeFirstNotifyAt(now),
		})
		.from(people)
		.where(sql`memberships.id = p.member_id and ${isKnown} and (${isChanged})`)

const joinStatement = ({ db, now }: UnitOfWork, people: SQL) =>
	insertSelect(
		db,
		memberships,
		{
			communityId: sql`p.community_id`,
			userId: sql`joining.id`,
			role: sql`coalesce(p.role, 'member')`,
			status: 'active',
			ssoUserId: sql`p."ssoUserId"`,
			avatarUrl: sentValue('avatarUrl'),
			headline: sentValue('headline'),
			bio: sentValue('bio'),
			email: sentValue('email'),
			profile: sql`json_patch('{}', coalesce(p.profile, '{}'))`,
			createdAt: now,
			updatedAt: now,
			indexAt: computeFirstNotifyAt(now),
		},
		sql`from ${people} join users as joining on joining.managed_key = p.key order by p.place`,
	)

type Call = {
	orgId: string
	communityId: number
	/** Skips people who are already members. */
	onlyNew: boolean
	/** Whether there is one person, whose event is relayed immediately. */
	isSingle: boolean
}

/** Returns the statement that records who joined. It must run before inactive members become active. */
function recordJoins(work: UnitOfWork, people: SQL, { orgId, communityId, onlyNew, isSingle }: Call) {
	const who = sql`from ${people} where ${onlyNew ? isNew : sql`${isNew} or ${isKnown} and p.status = 'inactive'`}`
	const event = (memberId: SQL) =>
		({ type: 'member.joined', orgId, payload: { communityId, memberId } }) as const
	return isSingle
		? recordEventIfStatement(work, event(sql`(select p.member_id ${who})`), sql`exists (select 1 ${who})`)
		: recordEventPerRowStatement(work.db, work.now, event(sql`p.member_id`), who, sql`p.place`)
}

/**
 * Adds people as managed members and updates existing members, in one batch whose number of statements does not depend on
 * the number of people. Each statement selects the people again (`selectVouched`), including the changes of earlier
 * statements. The details of the audit entry are counts.
 */
export async function storeVouched(
	work: UnitOfWork,
	people: SQL,
	call: Call,
	target: NonNullable<AuditDraft['target']>,
): Promise<VouchedRow[]> {
	const { db, now } = work
	const { orgId, communityId, onlyNew } = call
	const stored = sql`from ${people} where ${onlyNew ? isNew : isKnown}`
	const replacedAvatars = sql`m.id in (
		select p.member_id ${stored} and ${hasSent('avatarUrl')} and p.avatar_url is not p."avatarUrl"
	)`
	const counts = sql`(
		select json_object(
			'communityId', ${communityId}, 'created', coalesce(sum(${isNew}), 0), 'updated',
			coalesce(sum(${isKnown} and p.managed_key is not p.key), 0), 'addressesChanged',
			coalesce(sum(${isKnown} and p.managed_key <> p.key and ${hasSent('email')} and p.stored_email is not p.email), 0),
			'refused', count(p.refusal)
		)
		from ${people}
	)`
	const { rows } = await batch(db, {
		usersInserted: insertManagedStatement(
			db,
			{ name: sql`p.name`, managedKey: sql`p.key` },
			sql`from ${people} where p.member_id is null and p.refusal is null order by p.place`,
			now,
		),
		membershipsInserted: joinStatement(work, people),
		joinsRecorded: recordJoins(work, people, call),
		// Before the changes, which it counts.
		entryWritten: auditIfStatement(
			work,
			{ action: 'community_member.vouched', orgId, target, details: counts },
			sql`exists (select 1 ${stored})`,
		),
		avatarsPurged: onlyNew ? null : purgeAvatars(db, replacedAvatars, now),
		membershipsUpdated: onlyNew ? null : updateStatement(work, people),
		usersRenamed: onlyNew
			? null
			: renameManagedStatement(
					db,
					sql`select p.user_id as id, p.name ${stored} and p.name <> p.user_name`,
					now,
				),
		groupsJoined: insertSelect(
			db,
			accessGroupMembers,
			{ accessGroupId: sql`wanted.value`, membershipId: sql`p.member_id`, createdAt: now },
			sql`
				from (select p.person, p.member_id ${stored}) as p
				join json_each(p.person, '$.accessGroupIds') as wanted
				where true
			`,
		).onConflictDoNothing(),
		rows: db
			.select({
				ssoUserId: sql<string>`p."ssoUserId"`.as('sso'),
				memberId: sql<number | null>`p.member_id`.as('member'),
				isNew: sql<0 | 1 | null>`${isNew}`.as('is_new'),
				refusal: sql<Refusal | null>`p.refusal`.as('refused_because'),
			})
			.from(people)
			.orderBy(sql`p.place`),
	})
	return rows
}
