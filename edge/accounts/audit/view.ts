import type { AuditEntry } from '#schema/contract/accounts/audit/audit-log.ts'
import { toIso } from '../../platform/clock.ts'
import type { CsvColumns } from '../../platform/csv.ts'
import type { AuditRow } from './store.ts'

/** Actions of superadmins. Members of the organization see these, but not who did them. */
const byOperator: ReadonlySet<AuditRow['action']> = new Set<AuditRow['action']>([
	'org.suspended',
	'org.unsuspended',
	'org.tier_overridden',
	'org.tier_override_ended',
])

/** Removes the superadmin from a row that the organization may see. */
export const hideOperator = (row: AuditRow): AuditRow =>
	byOperator.has(row.action) ? { ...row, actorUserId: null, actorEmail: null, ipAddress: null } : row

export const viewEntry = (row: AuditRow): AuditEntry => ({
	id: row.id,
	orgId: row.orgId,
	action: row.action,
	actor: { kind: row.actorKind, id: row.actorId, userId: row.actorUserId, email: row.actorEmail },
	onBehalfOf:
		row.onBehalfOfUserId === null ? null : { userId: row.onBehalfOfUserId, email: row.onBehalfOfEmail },
	target: row.targetKind && {
		kind: row.targetKind,
		id: row.targetId,
		userId: row.targetUserId,
		email: row.targetEmail,
	},
	requestId: row.requestId,
	ipAddress: row.ipAddress,
	details: row.details,
	createdAt: toIso(row.createdAt),
})

export const entryColumns: CsvColumns<AuditRow> = {
	createdAt: (row) => toIso(row.createdAt),
	id: (row) => row.id,
	orgId: (row) => row.orgId,
	action: (row) => row.action,
	actorKind: (row) => row.actorKind,
	actorId: (row) => row.actorId,
	actorUserId: (row) => row.actorUserId,
	actorEmail: (row) => row.actorEmail,
	onBehalfOfUserId: (row) => row.onBehalfOfUserId,
	onBehalfOfEmail: (row) => row.onBehalfOfEmail,
	targetKind: (row) => row.targetKind,
	targetId: (row) => row.targetId,
	targetUserId: (row) => row.targetUserId,
	targetEmail: (row) => row.targetEmail,
	requestId: (row) => row.requestId,
	ipAddress: (row) => row.ipAddress,
	details: (row) => JSON.stringify(row.details),
}
