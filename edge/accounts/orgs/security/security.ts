import type { SecuritySettings } from '#schema/contract/accounts/security.ts'
import type { OrgPerson } from '../../../http/caller.ts'
import { AppError, notFoundError } from '../../../http/errors.ts'
import { omitUndefined } from '../../../http/omit-undefined.ts'
import type { Deps } from '../../../platform/deps.ts'
import { securityStore } from './store.ts'

export async function readSecurity({ db }: Deps, orgId: string): Promise<SecuritySettings> {
	const found = await securityStore(db).find(orgId)
	if (!found) throw notFoundError('organization')
	return found
}

/** The fields that an update takes. */
export const pickEditableFields = ({ requireSecondFactor, recentProofForApiKeys }: SecuritySettings) => ({
	requireSecondFactor,
	recentProofForApiKeys,
})

type SecurityPatch = {
	requireSecondFactor?: boolean | undefined
	recentProofForApiKeys?: boolean | undefined
}

/**
 * Owners only, because an admin could otherwise lock owners out. An owner can't require a second factor without
 * having one. With `before`, changes nothing if the settings have changed since.
 */
export async function changeSecurity(
	deps: Deps,
	{ org, role, userId }: OrgPerson,
	{ requireSecondFactor, recentProofForApiKeys }: SecurityPatch,
	before?: SecuritySettings,
): Promise<SecuritySettings> {
	if (role !== 'owner') throw new AppError('forbidden', 'only owners can change the security settings')
	const change = omitUndefined({
		requiresSecondFactor: requireSecondFactor,
		keysNeedProof: recentProofForApiKeys,
	})
	const isChanged = await securityStore(deps.db).change(
		deps.work,
		org.id,
		change,
		userId,
		before && {
			requiresSecondFactor: before.requireSecondFactor,
			keysNeedProof: before.recentProofForApiKeys,
		},
	)
	if (!isChanged)
		throw new AppError('conflict', 'set up a second factor for your own account before you require one')
	return readSecurity(deps, org.id)
}
