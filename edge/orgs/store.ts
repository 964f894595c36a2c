import { and, asc, desc, eq, gt, isNull, lt, or, type SQL, sql } from 'drizzle-orm'
import type { OrgRole } from '#schema/contract/roles.ts'
import { apiKeys, orgInvitations, orgMembers, orgs, usageCounters, users } from '#schema/tables/identity.ts'
import type { Db } from '../platform/database.ts'

export type OrgRow = typeof orgs.$inferSelect
export type InvitationRow = typeof orgInvitations.$inferSelect
export type ApiKeyRow = typeof apiKeys.$inferSelect
type Position = readonly [number, string | number] | null

/** Rows after a position when ordered by an instant, then by id. */
const after = (at: SQL, id: SQL, position: Position) =>
	position ? sql`(${at}, ${id}) > (${position[0]}, ${position[1]})` : undefined
const before = (at: SQL, id: SQL, position: Position) =>
	position ? sql`(${at}, ${id}) < (${position[0]}, ${position[1]})` : undefined

export const orgStore = (db: Db) => ({
	async listOfUser(userId: number, limit: number, position: Position) {
		return db
			.select({ org: orgs, role: orgMembers.role, joinedAt: orgMembers.createdAt })
			.from(orgMembers)
			.innerJoin(orgs, eq(orgs.id, orgMembers.orgId))
			.where(
				and(
					eq(orgMembers.userId, userId),
					after(sql`${orgMembers.createdAt}`, sql`${orgMembers.orgId}`, position),
				),
			)
			.orderBy(asc(orgMembers.createdAt), asc(orgMembers.orgId))
			.limit(limit + 1)
	},

	/** Statements for a batch, like all that return no promise here. */
	insertOrg(org: OrgRow) {
		return db.insert(orgs).values(org)
	},

	insertMember(orgId: string, userId: number | SQL<number>, role: OrgRole, now: number) {
		return db.insert(orgMembers).values({ orgId, userId, role, createdAt: now })
	},

	async find(orgId: string): Promise<OrgRow | undefined> {
		const [row] = await db.select().from(orgs).where(eq(orgs.id, orgId))
		return row
	},

	async update(orgId: string, change: Partial<Pick<OrgRow, 'name' | 'slug' | 'webhookUrl'>>, now: number) {
		const [row] = await db
			.update(orgs)
			.set({ ...change, updatedAt: now })
			.where(eq(orgs.id, orgId))
			.returning()
		return row
	},

	/** Everything the usage page shows, in one statement. */
	async usage(orgId: string, period: string) {
		const counter = (metric: string, of: string) =>
			sql<number>`coalesce((select ${usageCounters.value} from ${usageCounters} where ${usageCounters.orgId} = ${orgId} and ${usageCounters.period} = ${of} and ${usageCounters.metric} = ${metric}), 0)`
		const [row] = await db
			.select({
				tier: orgs.tier,
				encodeMs: counter('encode_ms', period).as('encode_ms'),
				deliveryMs: counter('delivery_ms', period).as('delivery_ms'),
				storageBytes: counter('storage_bytes', 'total').as('storage_bytes'),
				apiKeys: sql<number>`(select count(*) from ${apiKeys} where ${apiKeys.orgId} = ${orgId})`.as(
					'api_keys',
				),
				members: sql<number>`(select count(*) from ${orgMembers} where ${orgMembers.orgId} = ${orgId})`.as(
					'members',
				),
			})
			.from(orgs)
			.where(eq(orgs.id, orgId))
		return row
	},

	async listMembers(orgId: string, limit: number, position: Position) {
		return db
			.select({
				userId: users.id,
				email: users.email,
				name: users.name,
				role: orgMembers.role,
				joinedAt: orgMembers.createdAt,
			})
			.from(orgMembers)
			.innerJoin(users, eq(users.id, orgMembers.userId))
			.where(
				and(
					eq(orgMembers.orgId, orgId),
					after(sql`${orgMembers.createdAt}`, sql`${orgMembers.userId}`, position),
				),
			)
			.orderBy(asc(orgMembers.createdAt), asc(orgMembers.userId))
			.limit(limit + 1)
	},

	async findMember(orgId: string, userId: number) {
		const [row] = await db
			.select({
				userId: users.id,
				email: users.email,
				name: users.name,
				role: orgMembers.role,
				joinedAt: orgMembers.createdAt,
			})
			.from(orgMembers)
			.innerJoin(users, eq(users.id, orgMembers.userId))
			.where(and(eq(orgMembers.orgId, orgId), eq(orgMembers.userId, userId)))
		return row
	},

	async isMemberByEmail(orgId: string, email: string): Promise<boolean> {
		const rows = await db
			.select({ id: users.id })
			.from(users)
			.innerJoin(orgMembers, and(eq(orgMembers.userId, users.id), eq(orgMembers.orgId, orgId)))
			.where(eq(users.email, email))
		return rows.length > 0
	},

	/** The condition is in the statement: two owners who step down at once cannot both succeed. */
	async setRole(orgId: string, userId: number, was: OrgRole, role: OrgRole): Promise<boolean> {
		const rows = await db
			.update(orgMembers)
			.set({ role })
			.where(
				and(
					eq(orgMembers.orgId, orgId),
					eq(orgMembers.userId, userId),
					eq(orgMembers.role, was),
					was === 'owner' && role !== 'owner' ? anotherOwner(orgId) : undefined,
				),
			)
			.returning({ userId: orgMembers.userId })
		return rows.length === 1
	},

	/** Statement for a batch; takes nothing away from an organization that would be left without an owner. */
	removeMember(orgId: string, userId: number, was: OrgRole) {
		return db
			.delete(orgMembers)
			.where(
				and(
					eq(orgMembers.orgId, orgId),
					eq(orgMembers.userId, userId),
					eq(orgMembers.role, was),
					was === 'owner' ? anotherOwner(orgId) : undefined,
				),
			)
			.returning({ userId: orgMembers.userId })
	},

	async listInvitations(orgId: string, limit: number, position: Position) {
		return db
			.select()
			.from(orgInvitations)
			.where(
				and(
					eq(orgInvitations.orgId, orgId),
					before(sql`${orgInvitations.createdAt}`, sql`${orgInvitations.id}`, position),
				),
			)
			.orderBy(desc(orgInvitations.createdAt), desc(orgInvitations.id))
			.limit(limit + 1)
	},

	/** Statement for a batch. An open invitation to the same address is replaced, and its link with it. */
	invite(row: InvitationRow) {
		const { id, role, invitedByUserId, nonce, tokenHash, createdAt, expiresAt } = row
		return db
			.insert(orgInvitations)
			.values(row)
			.onConflictDoUpdate({
				target: [orgInvitations.orgId, orgInvitations.email],
				targetWhere: isNull(orgInvitations.acceptedAt),
				set: { id, role, invitedByUserId, nonce, tokenHash, createdAt, expiresAt },
			})
	},

	async revokeInvitation(orgId: string, id: string): Promise<boolean> {
		const rows = await db
			.delete(orgInvitations)
			.where(
				and(eq(orgInvitations.orgId, orgId), eq(orgInvitations.id, id), isNull(orgInvitations.acceptedAt)),
			)
			.returning({ id: orgInvitations.id })
		return rows.length === 1
	},

	async findOpenInvitation(tokenHash: string, now: number) {
		const [row] = await db
			.select()
			.from(orgInvitations)
			.where(
				and(
					eq(orgInvitations.tokenHash, tokenHash),
					isNull(orgInvitations.acceptedAt),
					gt(orgInvitations.expiresAt, now),
				),
			)
		return row
	},

	async findInvitation(id: string) {
		const [row] = await db
			.select({ invitation: orgInvitations, orgName: orgs.name, inviterName: users.name })
			.from(orgInvitations)
			.innerJoin(orgs, eq(orgs.id, orgInvitations.orgId))
			.leftJoin(users, eq(users.id, orgInvitations.invitedByUserId))
			.where(eq(orgInvitations.id, id))
		return row
	},

	/** Statement for a batch: used once, by whoever comes first. */
	useInvitation(id: string, now: number) {
		return db
			.update(orgInvitations)
			.set({ acceptedAt: now })
			.where(
				and(eq(orgInvitations.id, id), isNull(orgInvitations.acceptedAt), gt(orgInvitations.expiresAt, now)),
			)
			.returning({ id: orgInvitations.id })
	},

	/** Statement for a batch: joins only if the statement before it changed something and a seat is free. */
	joinIfChanged(orgId: string, userId: SQL | number, role: OrgRole, now: number) {
		return db
			.insert(orgMembers)
			.select(sql`select ${orgId}, ${userId}, ${role}, ${now} where changes() > 0`)
			.onConflictDoNothing()
			.returning({ userId: orgMembers.userId })
	},

	/** Members, and open invitations: a seat is taken when the invitation goes out. */
	async countSeats(orgId: string, now: number): Promise<number> {
		// In a select from one table drizzle prints columns without their table, so nothing here may refer outwards.
		const members = sql`(select count(*) from ${orgMembers} where ${orgMembers.orgId} = ${orgId})`
		const invited = sql`(select count(*) from ${orgInvitations} where ${orgInvitations.orgId} = ${orgId} and ${orgInvitations.acceptedAt} is null and ${orgInvitations.expiresAt} > ${now})`
		const [row] = await db
			.select({ seats: sql<number>`${members} + ${invited}`.as('seats') })
			.from(orgs)
			.where(eq(orgs.id, orgId))
		return row?.seats ?? 0
	},

	async listKeys(orgId: string, limit: number, position: Position) {
		return db
			.select()
			.from(apiKeys)
			.where(and(eq(apiKeys.orgId, orgId), before(sql`${apiKeys.createdAt}`, sql`${apiKeys.id}`, position)))
			.orderBy(desc(apiKeys.createdAt), desc(apiKeys.id))
			.limit(limit + 1)
	},

	/** False when the organization has as many keys as its tier allows. */
	async insertKey(row: ApiKeyRow, max: number | null): Promise<boolean> {
		const rows = await db
			.insert(apiKeys)
			.select(
				sql`select ${row.id}, ${row.orgId}, ${row.name}, ${row.keyHash}, ${row.prefix}, ${row.lastFour}, ${JSON.stringify(row.scopes)}, ${row.createdByUserId}, ${row.createdAt}, ${row.expiresAt}, null where ${max} is null or (select count(*) from ${apiKeys} where ${apiKeys.orgId} = ${row.orgId}) < ${max}`,
			)
			.returning({ id: apiKeys.id })
		return rows.length === 1
	},

	async deleteKey(orgId: string, id: string): Promise<boolean> {
		const rows = await db
			.delete(apiKeys)
			.where(and(eq(apiKeys.orgId, orgId), eq(apiKeys.id, id)))
			.returning({ id: apiKeys.id })
		return rows.length === 1
	},

	/** One statement for all that a request with an API key needs to know. */
	async findKey(keyHash: string, now: number) {
		const [row] = await db
			.select({
				keyId: apiKeys.id,
				scopes: apiKeys.scopes,
				lastUsedAt: apiKeys.lastUsedAt,
				orgId: orgs.id,
				slug: orgs.slug,
				tier: orgs.tier,
				suspendedAt: orgs.suspendedAt,
			})
			.from(apiKeys)
			.innerJoin(orgs, eq(orgs.id, apiKeys.orgId))
			.where(and(eq(apiKeys.keyHash, keyHash), or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now))))
		return row
	},

	async touchKey(id: string, now: number, usedBefore: number): Promise<void> {
		await db
			.update(apiKeys)
			.set({ lastUsedAt: now })
			.where(and(eq(apiKeys.id, id), or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, usedBefore))))
	},
})

const anotherOwner = (orgId: string) =>
	sql`(select count(*) from ${orgMembers} as owners where owners.org_id = ${orgId} and owners.role = 'owner') > 1`
