import { and, asc, eq, isNotNull, sql } from 'drizzle-orm'
import type { OrgRole } from '#schema/contract/accounts/roles.ts'
import type { SuspensionReason } from '#schema/contract/accounts/suspension.ts'
import type { TierName } from '#schema/contract/accounts/tiers.ts'
import { orgMembers, orgs, type sessions, users } from '#schema/tables/accounts/identity.ts'
import type { Db } from '../../platform/database/database.ts'
import { accountColumns } from '../account-columns.ts'
import { selectEffectiveTier } from '../orgs/tiers/effective-tier.ts'

/** An account. Managed members of communities have none: their row lacks an address. */
export type UserRow = typeof users.$inferSelect & { email: string }
type SessionRow = typeof sessions.$inferSelect

type Flag =
	| 'isSuperadmin'
	| 'hasPassword'
	| 'emailVerified'
	| 'provedByCode'
	| 'hasSecondFactor'
	| 'orgNeedsSecondFactor'
	| 'keysNeedProof'
type FoundPerson = Pick<UserRow, 'email' | 'name' | 'tokenVersion' | 'createdAt'> &
	Pick<SessionRow, 'lastSeenAt' | 'provedAt' | 'secondFactorAt'> & {
		userId: number
		sessionExpiresAt: number
		/** The requested organization, or null if it does not exist. `role` is null if the person is no member. */
		orgId: string | null
		slug: string | null
		tier: TierName | null
		suspendedAt: number | null
		suspensionReasons: SuspensionReason[]
		role: OrgRole | null
	} & Record<Flag, boolean>
/** SQLite has no booleans. */
type PersonRow = Omit<FoundPerson, Flag | 'suspensionReasons'> &
	Record<Flag, 0 | 1> & { suspensionReasons: string | null }

export const identityStore = (db: Db) => ({
	/**
	 * Loads everything that a request of a signed-in person needs, in one statement. It is written as plain SQL because
	 * every such request runs it, and the query builder would add a tenth to the request's CPU time.
	 */
	async findPerson(
		sessionId: string,
		userId: number,
		orgId: string | null,
		now: number,
	): Promise<FoundPerson | undefined> {
		const [row] = await db.all<PersonRow>(sql`
			select u.id as userId, u.email, u.name, u.is_superadmin as isSuperadmin,
				u.token_version as tokenVersion, u.password_hash is not null as hasPassword,
				u.email_verified_at is not null as emailVerified, u.created_at as createdAt,
				u.second_factor_at is not null as hasSecondFactor, s.second_factor_at as secondFactorAt,
				coalesce(o.requires_second_factor, 0) as orgNeedsSecondFactor,
				coalesce(o.keys_need_proof, 0) as keysNeedProof, s.expires_at as sessionExpiresAt,
				s.proved_at as provedAt, s.by_code as provedByCode, s.last_seen_at as lastSeenAt, o.id as orgId,
				o.slug, ${selectEffectiveTier('o', now)} as tier, o.suspended_at as suspendedAt,
				o.suspension_reasons as suspensionReasons, m.role
			from sessions s
			join users u on u.id = s.user_id and u.email is not null
			left join orgs o on o.id = ${orgId}
			left join org_members m on m.org_id = o.id and m.user_id = u.id
			where s.id = ${sessionId} and s.user_id = ${userId}
		`)
		return (
			row && {
				...row,
				suspensionReasons: JSON.parse(row.suspensionReasons ?? '[]'),
				isSuperadmin: row.isSuperadmin === 1,
				hasPassword: row.hasPassword === 1,
				emailVerified: row.emailVerified === 1,
				provedByCode: row.provedByCode === 1,
				hasSecondFactor: row.hasSecondFactor === 1,
				orgNeedsSecondFactor: row.orgNeedsSecondFactor === 1,
				keysNeedProof: row.keysNeedProof === 1,
			}
		)
	},

	async findUserByEmail(email: string) {
		const [row] = await db.select(accountColumns).from(users).where(eq(users.email, email))
		return row
	},

	async findUser(id: number) {
		const [row] = await db
			.select(accountColumns)
			.from(users)
			.where(and(eq(users.id, id), isNotNull(users.email)))
		return row
	},

	/** Returns the default organization of a token: the oldest membership in one that is not suspended. */
	async findOpenOrg(userId: number) {
		const [row] = await db
			.select({ id: orgs.id, slug: orgs.slug })
			.from(orgMembers)
			.innerJoin(orgs, eq(orgs.id, orgMembers.orgId))
			.where(and(eq(orgMembers.userId, userId), sql`${orgs.suspendedAt} is null`))
			.orderBy(asc(orgMembers.createdAt), asc(orgs.id))
			.limit(1)
		return row
	},

	async listMemberships(userId: number) {
		return db
			.select({
				orgId: orgs.id,
				slug: orgs.slug,
				name: orgs.name,
				role: orgMembers.role,
				suspendedAt: orgs.suspendedAt,
				secondFactorRequired: orgs.requiresSecondFactor,
			})
			.from(orgMembers)
			.innerJoin(orgs, eq(orgs.id, orgMembers.orgId))
			.where(eq(orgMembers.userId, userId))
			.orderBy(asc(orgMembers.createdAt), asc(orgs.id))
	},

	/** Returns a subquery for the id of a user that an earlier statement of the same batch creates. */
	idByEmail(email: string) {
		return sql<number>`(select ${users.id} from ${users} where ${users.email} = ${email})`
	},

	/** Holds if the user, whom an earlier statement of the same batch creates, is a superadmin. */
	isSuperadmin(email: string) {
		return sql`exists (select 1 from ${users} where ${users.email} = ${email} and ${users.isSuperadmin} = 1)`
	},

	/** Makes the user the superadmin if there is none. The statement checks this, so only one of two signups succeeds. */
	insertUserStatement(
		user: Pick<UserRow, 'email' | 'name' | 'passwordHash' | 'emailVerifiedAt'>,
		now: number,
	) {
		return db
			.insert(users)
			.values({
				...user,
				isSuperadmin: sql`not exists (select 1 from ${users} where ${users.isSuperadmin} = 1)`,
				createdAt: now,
				updatedAt: now,
			})
			.returning(accountColumns)
	},
})
