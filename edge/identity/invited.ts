import type { SQL } from 'drizzle-orm'
import {
	findInvitedAddress,
	isCommunityToken,
	joinCommunityByInvitation,
} from '../community/invitations/invitations.ts'
import { AppError } from '../http/errors.ts'
import { findOpenInvitation, joinByInvitation, requireInvitation } from '../orgs/invitations.ts'
import type { Deps } from '../platform/deps.ts'

/** An invitation is into an organization or into a community; its token says which. */
export async function isInvited(deps: Deps, token: string, email: string): Promise<boolean> {
	const address = isCommunityToken(token)
		? await findInvitedAddress(deps, token)
		: (await findOpenInvitation(deps, token))?.email
	return address === email
}

/** Throws when the person could not join now. */
export async function requireInvited(deps: Deps, token: string, email: string): Promise<void> {
	if (!isCommunityToken(token)) await requireInvitation(deps, token, email)
	else if (!(await isInvited(deps, token, email)))
		throw new AppError('not_found', 'this invitation is unknown, used or too old; ask for a new one')
}

/** Statements for the batch that makes the person. */
export async function joinInvited(deps: Deps, token: string, email: string, userId: SQL<number>) {
	return isCommunityToken(token)
		? joinCommunityByInvitation(deps, token, email, userId)
		: (await joinByInvitation(deps, token, email, userId)).statements
}
