import type { z } from 'zod'
import type { createMemberToken } from '#schema/contract/community/member/tokens.ts'
import type { KeyHolder } from '../../http/caller.ts'
import { allowKeysWithScope } from '../../http/org-callers.ts'
import type { Deps } from '../../platform/deps.ts'
import { isKnownMember } from '../access/tokens.ts'
import { vouchForMember } from './vouch.ts'

type Body = z.output<(typeof createMemberToken)['body']>

/** Adds the person as a managed member unless the identifier is known or a concurrent call adds them first. */
export async function addUnknownMember(
	deps: Deps,
	caller: KeyHolder,
	identifier: Omit<Body, 'create'>,
	{ name, email, avatar_url, headline, bio, profile_fields, access_group_ids }: NonNullable<Body['create']>,
): Promise<void> {
	allowKeysWithScope(['members:write', 'admin'])(caller)
	const { sso_user_id: ssoUserId, community_id: communityId } = identifier
	if (ssoUserId === undefined || communityId === undefined) return
	if (await isKnownMember(deps, caller, identifier)) return
	const profile = { avatarUrl: avatar_url, headline, bio, profileFields: profile_fields }
	const person = { ssoUserId, name, email, ...profile, accessGroupIds: access_group_ids }
	await vouchForMember(deps, caller, communityId, person, true)
}
