import type { AdminUser } from '#schema/contract/operations/admin/users.ts'
import { toIso, toIsoOrNull } from '../../../platform/clock.ts'
import type { UserRow } from './store.ts'

export const viewUser = (row: UserRow): AdminUser => ({
	id: row.id,
	email: row.email,
	name: row.name,
	emailVerified: row.emailVerifiedAt !== null,
	superadmin: row.isSuperadmin,
	lockedAt: toIsoOrNull(row.lockedAt),
	createdAt: toIso(row.createdAt),
})
