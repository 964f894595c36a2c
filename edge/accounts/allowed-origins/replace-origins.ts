import type { AuditDraft } from '../../platform/audit/audit.ts'
import type { Deps } from '../../platform/deps.ts'
import { readOrigins } from './read-origins.ts'
import { allowedOriginStore, type OriginOwner } from './store.ts'

/** Replaces the list of an organization or community. `entry` is the audit entry. */
export const replaceOrigins = (
	{ db, work }: Deps,
	owner: OriginOwner,
	origins: readonly string[],
	entry: Pick<AuditDraft, 'action' | 'target'>,
): Promise<string[]> =>
	allowedOriginStore(db).replace(work, owner, readOrigins(origins), { ...entry, orgId: owner.orgId })
