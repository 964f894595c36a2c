import type { ActorKind } from '#schema/contract/accounts/audit/actions.ts'
import type { Db } from './database/database.ts'

export type AuditActor = { kind: ActorKind; id: string | null; userId: number | null }

/** Who a request comes from, for the entries that it writes. */
export type AuditContext = {
	actor: AuditActor
	/** The member as whom a superadmin acts. */
	onBehalfOfUserId: number | null
	/** The organization in which the caller acts. */
	orgId: string | null
	requestId: string | null
	/** The IP address of the request. */
	ipAddress: string | null
}

export const systemActor: AuditActor = { kind: 'system', id: null, userId: null }

/**
 * The context shared by the statements of one request or run: on whose behalf they write, and the work that follows
 * them.
 */
export type UnitOfWork = {
	readonly db: Db
	/** The instant of all writes, as in `Deps`. */
	readonly now: number
	/** Requests replace it once they know their caller. */
	audit: AuditContext
	/** Recorded events, possibly under a condition, that are not relayed yet. */
	readonly eventIds: Set<string>
	/** Recorded public events whose deliveries are not planned yet. */
	readonly publicEventIds: Set<string>
	/** Whether an entry or event revokes something, and must be copied to the vault after the response. */
	hasRevoked: boolean
	/** The latest relay of `eventIds`. Relays run one after the other, so that none claims an event twice. */
	relay: Promise<unknown>
}

export const openUnitOfWork = (db: Db, now: number): UnitOfWork => ({
	db,
	now,
	audit: { actor: systemActor, onBehalfOfUserId: null, orgId: null, requestId: null, ipAddress: null },
	eventIds: new Set(),
	publicEventIds: new Set(),
	hasRevoked: false,
	relay: Promise.resolve(),
})
