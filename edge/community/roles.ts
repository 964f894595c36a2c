import type { CommunityRole } from '#schema/contract/community/fields.ts'
import { AppError } from '../http/errors.ts'

/** Those below each role: whom it may ban, and what it may make of others. */
export const rolesBelow: Record<CommunityRole, readonly CommunityRole[]> = {
	owner: ['admin', 'moderator', 'member'],
	admin: ['moderator', 'member'],
	moderator: ['member'],
	member: [],
}

export function refusePlainMember({ role }: { role: CommunityRole }): void {
	if (role === 'member') throw new AppError('forbidden', 'this takes the role moderator, admin or owner')
}

export function refuseUnlessAbove(role: CommunityRole, other: CommunityRole): void {
	refusePlainMember({ role })
	if (!rolesBelow[role].includes(other)) throw new AppError('forbidden', `this takes a role above ${other}`)
}
