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

/** What the statements of one request or run share: on whose behalf they write, and what is to be done after them. */
export type UnitOfWork = {
	readonly db: Db
	/** The instant of all writes, as in `Deps`. */
	now: number
	/** Requests replace it once they know their caller. */
	audit: AuditContext
	/** Events that were recorded, or were to be if a condition holds, and are not relayed. */
	readonly eventIds: Set<string>
	/** Likewise, public events whose deliveries are not planned. */
	readonly publicEventIds: Set<string>
	/** Whether an entry or event takes something away, so that it is copied to the vault after the response. */
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
