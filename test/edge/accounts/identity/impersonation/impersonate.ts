import { impersonate } from '#schema/contract/operations/admin/impersonation.ts'
import type { Person, World } from '../../../../support/edge/world.ts'

export const REASON = 'The video of ticket 7 does not play'

/** Acts as a member of an organization, their own by default. */
export const ask = (
	world: World,
	superadmin: { token: string },
	member: Pick<Person, 'userId' | 'orgId'>,
	more: object = {},
) => {
	const { userId, orgId } = member
	return world.ask(impersonate, { body: { userId, orgId, reason: REASON, ...more } }, superadmin)
}

export const start = async (...input: Parameters<typeof ask>) => (await ask(...input)).ok.data
