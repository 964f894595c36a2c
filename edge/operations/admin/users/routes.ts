import * as contract from '#schema/contract/operations/admin/users.ts'
import { buildPage, decodeCursor } from '../../../http/page.ts'
import { type Route, serve } from '../../../http/route.ts'
import { toIsoOrNull } from '../../../platform/clock.ts'
import { adminUserStore } from './store.ts'
import { demoteUser, endSessions, getUser, lockUser, promoteUser, unlockUser } from './users.ts'
import { viewUser } from './view.ts'

export const adminUserRoutes: Route[] = [
	serve(contract.listUsers, async ({ deps, query, request, headers }) => {
		const { q, only, limit } = query
		const [beforeId = null] = decodeCursor(query) ?? []
		const rows = await adminUserStore(deps.db).list({ q, only }, limit, beforeId)
		return { data: buildPage(rows, query, ({ id }) => [id, id], request, headers).map(viewUser) }
	}),

	serve(contract.getUser, async ({ deps, params: { userId } }) => {
		const user = await getUser(deps, userId)
		const { lastSeenAt, ...access } = await adminUserStore(deps.db).findAccess(userId, deps.now)
		return { data: { ...viewUser(user), ...access, lastSeenAt: toIsoOrNull(lastSeenAt) } }
	}),

	serve(contract.lockUser, async ({ deps, params }) => ({
		data: viewUser(await lockUser(deps, params.userId)),
	})),

	serve(contract.unlockUser, async ({ deps, params }) => ({
		data: viewUser(await unlockUser(deps, params.userId)),
	})),

	serve(contract.endUserSessions, async ({ deps, params }) => ({
		data: { ended: await endSessions(deps, params.userId) },
	})),

	serve(contract.promoteUser, async ({ deps, params }) => ({
		data: viewUser(await promoteUser(deps, params.userId)),
	})),

	serve(contract.demoteUser, async ({ deps, params }) => ({
		data: viewUser(await demoteUser(deps, params.userId)),
	})),
]
