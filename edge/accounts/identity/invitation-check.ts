import type { SQL } from 'drizzle-orm'
import { AppError } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import { findOpenInvitation, joinByInvitation, requireInvitation } from '../orgs/invitations.ts'

/** Returns true if the token belongs to an open invitation of this address to an organization or a community. */
export async function isInvited(deps: Deps, token: string, email: string): Promise<boolean> {
	const { communities } = deps.contributions
	const address = communities.isInvitation(token)
		? await communities.findInvitedAddress(deps, token)
		: (await findOpenInvitation(deps, token))?.email
	return address === email
}

/** Throws unless this address can accept the invitation now. */
export async function requireInvited(deps: Deps, token: string, email: string): Promise<void> {
	if (!deps.contributions.communities.isInvitation(token)) await requireInvitation(deps, token, email)
	else if (!(await isInvited(deps, token, email)))
		throw new AppError('not_found', 'this invitation is unknown, used or expired; ask for a new one')
}

/** Returns the statements that accept the invitation, for the batch that creates the user. */
export async function acceptInvitationStatements(
	deps: Deps,
	token: string,
	email: string,
	userId: SQL<number>,
) {
	const { communities } = deps.contributions
	const statements = communities.isInvitation(token)
		? await communities.joinStatements(deps, token, email, userId)
		: (await joinByInvitation(deps, token, email, userId)).statements
	return Object.values(statements)
}
