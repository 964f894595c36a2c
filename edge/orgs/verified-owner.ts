import { AppError } from '../http/errors.ts'
import type { Deps } from '../platform/deps.ts'
import { orgStore } from './store.ts'

/**
 * Whoever makes an account with somebody's address owns an organization in that person's name. Nobody else gets into
 * it, so that the real owner finds it empty; and nobody is mailed in the name of an address that nobody verified.
 */
export async function requireVerifiedOwner({ db }: Deps, orgId: string): Promise<void> {
	if (await orgStore(db).hasVerifiedOwner(orgId)) return
	throw new AppError(
		'email_unverified',
		'an owner of the organization has to verify their e-mail address before anybody is invited: POST /v1/auth/email/verify/send',
	)
}
