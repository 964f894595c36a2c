import type { CommunityRole } from '#schema/contract/community/fields.ts'
import { AppError } from '../http/errors.ts'

/** The roles below each role: the members it may ban, and the roles it may assign. */
export const rolesBelow: Record<CommunityRole, readonly CommunityRole[]> = {
	owner: ['admin', 'moderator', 'member'],
	admin: ['moderator', 'member'],
	moderator: ['member'],
	member: [],
}

export function refusePlainMember({ role }: { role: CommunityRole }): void {
	if (role === 'member') throw new AppError('forbidden', 'requires the role moderator, admin or owner')
}

export function refuseUnlessAbove(role: CommunityRole, other: CommunityRole): void {
	refusePlainMember({ role })
	if (!rolesBelow[role].includes(other)) throw new AppError('forbidden', `requires a role above ${other}`)
}
