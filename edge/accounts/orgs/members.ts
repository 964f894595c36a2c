import { type SQL, sql } from 'drizzle-orm'
import type { OrgRole } from '#schema/contract/accounts/roles.ts'
import type { OrgPerson, Person } from '../../http/caller.ts'
import { AppError, notFoundError } from '../../http/errors.ts'
import { auditIfChangedStatement } from '../../platform/audit/audit.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Deps } from '../../platform/deps.ts'
import { recordEventIfChangedStatement } from '../../platform/outbox/outbox.ts'
import { apiKeyStore, selectFormerManagerKeys } from './api-key-store.ts'
import { invitationStore, selectFormerManagerInvitations } from './invitation-store.ts'
import { orgStore } from './store.ts'

const memberNotFoundError = () => notFoundError('member')
const lastOwnerError = () =>
	new AppError('conflict', 'an organization needs an owner; make another member an owner first')
const ownersOnlyError = () => new AppError('forbidden', 'only owners can change or remove an owner')

export async function updateMember(deps: Deps, caller: OrgPerson, userId: number, role: OrgRole) {
	const orgId = caller.org.id
	const store = orgStore(deps.db)
	const member = await store.findMember(orgId, userId)
	if (!member) throw memberNotFoundError()
	if ((role === 'owner' || member.role === 'owner') && caller.role !== 'owner') throw ownersOnlyError()
	if (member.role === role) return member
	const { roleChanged } = await batch(deps.db, {
		roleChanged: store.setRoleStatement(orgId, userId, member.role, role),
		entryWritten: auditIfChangedStatement(deps.work, {
			action: 'member.role_changed',
			orgId,
			target: { kind: 'user', userId },
			details: sql`json_object('role', ${role}, 'before', ${member.role}, ${endedWith(orgId, userId)})`,
		}),
		managementEnded: endManagementStatements(deps, orgId, userId),
	})
	if (roleChanged.length === 0) {
		if (member.role === 'owner') throw lastOwnerError()
		throw new AppError('conflict', 'the member has changed; reload and try again')
	}
	return { ...member, role }
}

/** Returns SQL for the names and values that `endManagementStatements` will delete. */
const endedWith = (orgId: string, userId: number): SQL =>
	sql`
		'endedApiKeys', ${selectFormerManagerKeys(orgId, userId)}, 'revokedInvitations',
		${selectFormerManagerInvitations(orgId, userId)}
	`

/** Deletes the keys and open invitations of a person who is no longer an owner or admin; otherwise does nothing. */
const endManagementStatements = ({ db }: Deps, orgId: string, userId: number) =>
	[
		apiKeyStore(db).revokeOfFormerManagerStatement(orgId, userId),
		invitationStore(db).revokeOfFormerManagerStatement(orgId, userId),
	] as const

/** Removes a member, or lets one leave. The next request with their token for this organization is rejected. */
export async function removeMember(deps: Deps, caller: Person, orgId: string, userId: number): Promise<void> {
	const { db, work } = deps
	const store = orgStore(db)
	if (userId !== caller.userId && caller.role === 'member')
		throw new AppError('forbidden', 'only admins and owners can remove other members')
	const member = await store.findMember(orgId, userId)
	if (!member) throw memberNotFoundError()
	if (member.role === 'owner' && caller.role !== 'owner') throw ownersOnlyError()
	const { memberRemoved } = await batch(db, {
		memberRemoved: store.removeMemberStatement(orgId, userId, member.role),
		eventRecorded: recordEventIfChangedStatement(work, {
			type: 'org.member_removed',
			orgId,
			payload: { userId },
		}),
		entryWritten: auditIfChangedStatement(work, {
			action: 'member.removed',
			orgId,
			target: { kind: 'user', userId },
			details: sql`json_object('role', ${member.role}, ${endedWith(orgId, userId)})`,
		}),
		managementEnded: endManagementStatements(deps, orgId, userId),
	})
	if (memberRemoved.length === 0) {
		if (member.role === 'owner') throw lastOwnerError()
		throw new AppError('conflict', 'the member has changed; reload and try again')
	}
}
