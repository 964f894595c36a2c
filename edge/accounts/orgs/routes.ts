import * as apiKeys from '#schema/contract/accounts/api-keys.ts'
import * as orgMembers from '#schema/contract/accounts/org-members.ts'
import * as contract from '#schema/contract/accounts/orgs.ts'
import { whoAmI } from '#schema/contract/accounts/whoami.ts'
import type { OrgCaller } from '../../http/caller.ts'
import { setEntityTag, updateMatching } from '../../http/entity-tag.ts'
import { buildPage, decodeCursor } from '../../http/page.ts'
import { type Route, serve } from '../../http/route.ts'
import { apiKeyStore } from './api-key-store.ts'
import { createApiKey, deleteApiKey } from './api-keys/api-keys.ts'
import { describeCaller } from './api-keys/whoami.ts'
import { invitationStore } from './invitation-store.ts'
import { acceptInvitation, inviteMember, revokeInvitation } from './invitations.ts'
import { removeMember, updateMember } from './members.ts'
import { createOrg, getOrg, updateOrg } from './orgs.ts'
import { orgStore } from './store.ts'
import { getUsage } from './usage/usage.ts'
import { pickEditableColumns, viewApiKey, viewInvitation, viewMember, viewOrg } from './view.ts'

const roleOf = (caller: OrgCaller) => (caller.kind === 'person' ? caller.role : null)

export const orgRoutes: Route[] = [
	serve(contract.listOrgs, async ({ deps, caller, query, request, headers }) => {
		const rows = await orgStore(deps.db).listOfUser(caller.userId, query.limit, decodeCursor(query))
		const page = buildPage(rows, query, (row) => [row.joinedAt, row.org.id], request, headers)
		return { data: page.map(({ org, role }) => viewOrg(org, role, deps.now)) }
	}),

	serve(contract.createOrg, async ({ deps, caller, body }) => ({
		data: viewOrg(await createOrg(deps, caller, body), 'owner', deps.now),
	})),

	serve(orgMembers.acceptInvitation, async ({ deps, caller, body }) => {
		const { org, role } = await acceptInvitation(deps, caller, body.token)
		return { data: viewOrg(org, role, deps.now) }
	}),

	serve(whoAmI, async ({ deps, caller }) => ({ data: await describeCaller(deps, caller) })),

	serve(contract.getOrg, async ({ deps, caller, headers }) => {
		const org = await getOrg(deps, caller.org.id)
		await setEntityTag(headers, pickEditableColumns(org))
		return { data: viewOrg(org, roleOf(caller), deps.now) }
	}),

	serve(contract.updateOrg, async ({ deps, caller, body, request, headers }) => {
		const { id } = caller.org
		const org = await updateMatching(
			contract.updateOrg,
			{ request, headers },
			{
				read: () => getOrg(deps, id),
				toState: pickEditableColumns,
				update: (before) => updateOrg(deps, id, body, before && pickEditableColumns(before)),
			},
		)
		return { data: viewOrg(org, roleOf(caller), deps.now) }
	}),

	serve(contract.getOrgUsage, async ({ deps, caller }) => ({ data: await getUsage(deps, caller.org.id) })),

	serve(orgMembers.listMembers, async ({ deps, caller, query, request, headers }) => {
		const rows = await orgStore(deps.db).listMembers(caller.org.id, query.limit, decodeCursor(query))
		const page = buildPage(rows, query, (row) => [row.joinedAt, row.userId], request, headers)
		return { data: page.map(viewMember) }
	}),

	serve(orgMembers.inviteMember, async ({ deps, caller, body }) => ({
		data: viewInvitation(await inviteMember(deps, caller, body), deps.now),
	})),

	serve(orgMembers.updateMember, async ({ deps, caller, params, body }) => ({
		data: viewMember(await updateMember(deps, caller, params.userId, body.role)),
	})),

	serve(orgMembers.removeMember, async ({ deps, caller, params }) => {
		await removeMember(deps, caller, params.orgId, params.userId)
		return { data: { userId: params.userId, deleted: true as const } }
	}),

	serve(orgMembers.listInvitations, async ({ deps, caller, query, request, headers }) => {
		const rows = await invitationStore(deps.db).list(caller.org.id, query.limit, decodeCursor(query))
		const page = buildPage(rows, query, (row) => [row.createdAt, row.id], request, headers)
		return { data: page.map((row) => viewInvitation(row, deps.now)) }
	}),

	serve(orgMembers.revokeInvitation, async ({ deps, caller, params }) => {
		await revokeInvitation(deps, caller, params.invitationId)
		return { data: { id: params.invitationId, deleted: true as const } }
	}),

	serve(apiKeys.listApiKeys, async ({ deps, caller, query, request, headers }) => {
		const rows = await apiKeyStore(deps.db).list(caller.org.id, query.limit, decodeCursor(query))
		const page = buildPage(rows, query, ({ key }) => [key.createdAt, key.id], request, headers)
		return { data: page.map(({ key, creatorName }) => viewApiKey(key, creatorName)) }
	}),

	serve(apiKeys.createApiKey, async ({ deps, caller, body }) => {
		const { row, key } = await createApiKey(deps, caller, body)
		return { data: { ...viewApiKey(row, caller.name), key } }
	}),

	serve(apiKeys.deleteApiKey, async ({ deps, caller, params }) => {
		await deleteApiKey(deps, caller.org.id, params.keyId)
		return { data: { id: params.keyId, deleted: true as const } }
	}),
]
