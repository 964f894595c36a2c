import type { CommunityRole } from '#schema/contract/community/fields.ts'
import { AppError } from '../http/errors.ts'

/** The roles below each role. A role may ban members with these roles and may assign them. */
export const rolesBelow: Record<CommunityRole, readonly CommunityRole[]> = {
	owner: ['admin', 'moderator', 'member'],
	admin: ['moderator', 'member'],
	moderator: ['member'],
	member: [],
}

export function requireModerator({ role }: { role: CommunityRole }): void {
	if (role === 'member')
		throw new AppError('forbidden', 'this operation needs the role moderator, admin or owner')
}

export function requireRoleAbove(role: CommunityRole, other: CommunityRole): void {
	requireModerator({ role })
	if (!rolesBelow[role].includes(other)) throw new AppError('forbidden', `your role must be above ${other}`)
}
