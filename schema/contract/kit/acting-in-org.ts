import type { Operation } from './operation.ts'

const orgAuths: ReadonlySet<Operation['auth']> = new Set([
	'read',
	'write',
	'admin',
	'org-admin-person',
	'member',
	'headless-auth',
	'upload',
])

/** Whether the operation acts in the organization of its caller. */
const actsInOrg = ({ auth, path }: Operation): boolean =>
	orgAuths.has(auth) || (auth === 'session' && path.includes('{orgId}'))

/**
 * Whether people call the operation as members of an organization, which may require a second factor of them. Members of
 * its communities, API keys and uploads are not asked for one.
 */
export const isForOrgMembers = (op: Operation): boolean =>
	actsInOrg(op) && !['member', 'headless-auth', 'upload'].includes(op.auth)

/**
 * Returns which suspension of the caller's organization blocks the operation: any, including `billing`; a full one;
 * or none.
 */
export function listRefusingSuspensions(op: Operation): 'any' | 'full' | 'none' {
	if (!actsInOrg(op) || op.whenSuspended === 'open') return 'none'
	return op.whenSuspended === 'no new work' ? 'any' : 'full'
}
