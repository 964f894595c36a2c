import * as contract from '#schema/contract/operations/admin/impersonation.ts'
import { buildPage, decodeCursor } from '../../../http/page.ts'
import { type Route, serve } from '../../../http/route.ts'
import { toIso, toIsoOrNull } from '../../../platform/clock.ts'
import { endImpersonation } from './end.ts'
import { impersonate, setSupportAccess } from './impersonation.ts'
import { type ImpersonationRow, impersonationStore } from './store.ts'

type Viewed = Omit<ImpersonationRow, 'impersonatorTokenVersion' | 'sessionId' | 'lastSeenAt'>

const view = (row: Viewed, email: string | null): contract.Impersonation => ({
	id: row.id,
	impersonator: row.impersonatorId === null || email === null ? null : { userId: row.impersonatorId, email },
	userId: row.userId,
	orgId: row.orgId,
	reason: row.reason,
	caseNumber: row.caseNumber,
	write: row.mayWrite,
	createdAt: toIso(row.createdAt),
	expiresAt: toIso(row.expiresAt),
	endedAt: toIsoOrNull(row.endedAt),
})

export const impersonationRoutes: Route[] = [
	serve(contract.impersonate, async ({ deps, caller, body }) => {
		const { token, row, impersonatorEmail } = await impersonate(deps, caller, body)
		return { data: { token, impersonation: view(row, impersonatorEmail) } }
	}),

	serve(contract.listImpersonations, async ({ deps, caller, query, request, headers }) => {
		const rows = await impersonationStore(deps.db).list(caller.org.id, query.limit, decodeCursor(query))
		const positionOfRow = ({ impersonation }: (typeof rows)[number]): [number, string] => [
			impersonation.createdAt,
			impersonation.id,
		]
		const page = buildPage(rows, query, positionOfRow, request, headers)
		return { data: page.map((row) => view(row.impersonation, row.impersonatorEmail)) }
	}),

	serve(contract.endImpersonation, async ({ deps, caller, params }) => {
		await endImpersonation(deps, caller.org.id, params.impersonationId)
		return { data: { id: params.impersonationId, ended: true as const } }
	}),

	serve(contract.setSupportAccess, async ({ deps, caller, body }) => {
		await setSupportAccess(deps, caller.org.id, body.allowed)
		return { data: { allowed: body.allowed } }
	}),
]
