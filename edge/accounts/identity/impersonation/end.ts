import { notFoundError } from '../../../http/errors.ts'
import type { Deps } from '../../../platform/deps.ts'
import { impersonationStore } from './store.ts'

/** Ends an impersonation of the organization. */
export async function endImpersonation(deps: Deps, orgId: string, id: string): Promise<void> {
	if (!(await impersonationStore(deps.db).end(deps.work, orgId, id)))
		throw notFoundError('open impersonation')
}
