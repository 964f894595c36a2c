import type { PageQuery } from '#schema/contract/kit/page.ts'
import type { OrgCaller, Person } from '../../http/caller.ts'
import { notFoundError } from '../../http/errors.ts'
import { decodeCursor } from '../../http/page.ts'
import { unverifiedAddressError } from '../../http/verified-address.ts'
import type { Deps } from '../../platform/deps.ts'
import { sha256 } from '../../platform/tokens/digest.ts'
import { generateLinkToken } from '../../platform/tokens/link-token.ts'
import { requireCommunity } from '../communities/communities.ts'
import { deferIndexing } from '../search/index-content.ts'
import { invitationLinkStore, type LinkRow, type NewLink } from './store.ts'

const TOKEN_PREFIX = 'l.'

export async function createInvitationLink(
	deps: Deps,
	caller: OrgCaller,
	communityId: number,
	input: Pick<NewLink, 'name' | 'role' | 'accessGroupIds' | 'maxUses' | 'expiresAt'>,
): Promise<{ link: LinkRow; token: string }> {
	await requireCommunity(deps, caller, communityId)
	const { token, tokenHash } = await generateLinkToken(TOKEN_PREFIX)
	const link = await invitationLinkStore(deps.db).insert(deps.work, caller.org.id, {
		...input,
		communityId,
		tokenHash,
		madeByUserId: caller.kind === 'person' ? caller.userId : caller.makerId,
		createdAt: deps.now,
	})
	if (!link) throw notFoundError('access group')
	return { link, token }
}

export async function listInvitationLinks(
	deps: Deps,
	caller: OrgCaller,
	communityId: number,
	query: PageQuery,
): Promise<LinkRow[]> {
	const { id } = await requireCommunity(deps, caller, communityId)
	return invitationLinkStore(deps.db).list(id, query.limit, decodeCursor(query))
}

export async function revokeInvitationLink(
	deps: Deps,
	caller: OrgCaller,
	communityId: number,
	id: number,
): Promise<void> {
	const isRevoked = await invitationLinkStore(deps.db).revoke(deps.work, caller.org.id, communityId, id)
	if (!isRevoked) throw notFoundError('invitation link')
}

/** Joins a community. Idempotent: a repeated call returns the membership. */
export async function joinByInvitationLink(deps: Deps, person: Person, token: string) {
	if (!person.emailVerified) throw unverifiedAddressError()
	const store = invitationLinkStore(deps.db)
	const tokenHash = await sha256(token)
	const isNew = await store.join(deps.work, tokenHash, person.userId)
	const joined = await store.findJoined(tokenHash, person.userId)
	if (!joined) throw notFoundError('invitation link')
	if (isNew) deferIndexing(deps, 'member', joined.memberId)
	return joined
}
