import type { Person } from '../../../http/caller.ts'
import { toIso } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { countNameChange } from '../../attempts/name-changes.ts'
import { identityStore } from '../store.ts'
import { viewUser } from '../view.ts'
import { nameStore } from './name-store.ts'

export async function findMe({ db }: Deps, person: Person) {
	const { impersonation } = person
	const memberships = await identityStore(db).listMemberships(person.userId)
	return {
		user: viewUser({ ...person, id: person.userId }),
		sessionId: person.sessionId,
		// During an impersonation, the user's other organizations are hidden.
		memberships: memberships
			.filter(({ orgId }) => !impersonation || orgId === person.org?.id)
			.map(({ suspendedAt, ...membership }) => ({
				...membership,
				suspended: suspendedAt !== null,
				current: membership.orgId === person.org?.id,
			})),
		impersonation: impersonation && {
			by: impersonation.by,
			write: impersonation.mayWrite,
			reason: impersonation.reason,
			expiresAt: toIso(impersonation.expiresAt),
		},
	}
}

export async function renameMe(deps: Deps, person: Person, name: string) {
	await countNameChange(deps, person.userId)
	const { communities } = deps.contributions
	const renamed = await nameStore(deps.db, communities).rename(person.userId, name, deps.now)
	communities.indexRenamed(deps, renamed)
	return findMe(deps, { ...person, name })
}
