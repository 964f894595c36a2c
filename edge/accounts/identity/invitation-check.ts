import type { Deps } from '../../platform/deps.ts'
import { findOpenInvitation, joinByInvitation, requireInvitation } from '../orgs/invitations.ts'
import type { Invitations } from './communities.ts'

const orgInvitations: Invitations = {
	findAddress: async (deps, token) => (await findOpenInvitation(deps, token))?.email,
	require: requireInvitation,
	joinStatements: async (...invitation) => (await joinByInvitation(...invitation)).statements,
}

/** Selects the implementation by the token's prefix. */
export const chooseInvitations = ({ contributions: { communities } }: Deps, token: string): Invitations =>
	communities.isInvitation(token) ? communities.invitations : orgInvitations
