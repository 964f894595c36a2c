import type { AccountCommunities } from '../../accounts/identity/communities.ts'
import {
	findInvitedAddress,
	isCommunityToken,
	joinCommunityByInvitation,
	requireCommunityInvitation,
} from '../invitations/invitations.ts'
import { closeUserStreams } from '../notifications/notification-streams.ts'
import { deferIndexing } from '../search/index-content.ts'
import { handOverStatements, renameStatement } from './account-store.ts'

/** How many memberships are indexed right after the response. The sweep indexes the others. */
const INDEXED_AT_ONCE = 100

export const accountCommunities: AccountCommunities = {
	closeStreams: closeUserStreams,
	renameStatement,
	handOverStatements,
	indexRenamed(deps, memberships) {
		for (const { id } of memberships.slice(0, INDEXED_AT_ONCE)) deferIndexing(deps, 'member', id)
	},
	isInvitation: isCommunityToken,
	invitations: {
		findAddress: findInvitedAddress,
		require: requireCommunityInvitation,
		joinStatements: joinCommunityByInvitation,
	},
}
