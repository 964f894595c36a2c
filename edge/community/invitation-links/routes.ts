import * as contract from '#schema/contract/community/manage/invitation-links.ts'
import { buildPage } from '../../http/page.ts'
import { type Route, serve } from '../../http/route.ts'
import { toIso, toIsoOrNull } from '../../platform/clock.ts'
import {
	createInvitationLink,
	joinByInvitationLink,
	listInvitationLinks,
	revokeInvitationLink,
} from './links.ts'
import type { LinkRow } from './store.ts'

const viewLink = (row: LinkRow): contract.InvitationLink => ({
	id: row.id,
	name: row.name,
	role: row.role,
	accessGroupIds: row.accessGroupIds,
	maxUses: row.maxUses,
	uses: row.uses,
	expiresAt: toIsoOrNull(row.expiresAt),
	createdAt: toIso(row.createdAt),
})

export const invitationLinkRoutes: Route[] = [
	serve(contract.createInvitationLink, async ({ deps, caller, params, body }) => {
		const expiresAt = body.expiresAt === null ? null : Date.parse(body.expiresAt)
		const made = await createInvitationLink(deps, caller, params.communityId, { ...body, expiresAt })
		return { data: { ...viewLink(made.link), token: made.token } }
	}),

	serve(contract.listInvitationLinks, async ({ deps, caller, params, query, request, headers }) => {
		const rows = await listInvitationLinks(deps, caller, params.communityId, query)
		const page = buildPage(rows, query, (row) => [row.createdAt, row.id], request, headers)
		return { data: page.map(viewLink) }
	}),

	serve(contract.revokeInvitationLink, async ({ deps, caller, params: { communityId, linkId: id } }) => {
		await revokeInvitationLink(deps, caller, communityId, id)
		return { data: { id, deleted: true as const } }
	}),

	serve(contract.joinByInvitationLink, async ({ deps, caller, body }) => ({
		data: await joinByInvitationLink(deps, caller, body.token),
	})),
]
