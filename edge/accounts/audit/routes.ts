import * as contract from '#schema/contract/accounts/audit/audit-log.ts'
import { buildPage, decodeCursor } from '../../http/page.ts'
import { type Route, serve } from '../../http/route.ts'
import { toUtcDay } from '../../platform/clock.ts'
import { readChainPage } from './chain-page.ts'
import { answerWithCsv } from './csv-file.ts'
import { type AuditFilter, auditStore } from './store.ts'
import { hideOperator, viewEntry } from './view.ts'

type AuditQuery = Pick<AuditFilter, 'action' | 'actor'> & {
	since?: string | undefined
	until?: string | undefined
}

const filterOf = ({ action, actor, since, until }: AuditQuery): AuditFilter => ({
	action,
	actor,
	since: since === undefined ? undefined : Date.parse(since),
	until: until === undefined ? undefined : Date.parse(until),
})

type InstallationAuditQuery = AuditQuery & { orgId?: string | undefined; scope: 'all' | 'installation' }

const installationFilterOf = ({ orgId, scope, ...query }: InstallationAuditQuery): AuditFilter => ({
	...filterOf(query),
	orgId: scope === 'installation' ? null : orgId,
})

const fileName = (of: string, now: number) => `audit-log-${of}-${toUtcDay(now)}.csv`

export const auditRoutes: Route[] = [
	serve(contract.listAuditLog, async ({ deps, caller, query, request, headers }) => {
		const filter = { ...filterOf(query), orgId: caller.org.id }
		const rows = await auditStore(deps.db).list(filter, query.limit, decodeCursor(query))
		const page = buildPage(rows, query, (row) => [row.createdAt, row.position], request, headers)
		return { data: page.map((row) => viewEntry(hideOperator(row))) }
	}),

	serve(contract.getAuditLogCsv, async ({ deps, caller, query }) => {
		const filter = { ...filterOf(query), orgId: caller.org.id }
		return answerWithCsv(deps.db, filter, fileName(caller.org.slug, deps.now), hideOperator)
	}),

	serve(contract.listInstallationAuditLog, async ({ deps, query, request, headers }) => {
		const filter = installationFilterOf(query)
		const rows = await auditStore(deps.db).list(filter, query.limit, decodeCursor(query))
		const page = buildPage(rows, query, (row) => [row.createdAt, row.position], request, headers)
		return { data: page.map(viewEntry) }
	}),

	serve(contract.getInstallationAuditLogCsv, async ({ deps, query }) =>
		answerWithCsv(deps.db, installationFilterOf(query), fileName('installation', deps.now)),
	),

	serve(contract.listAuditChain, async ({ deps, query: { after, limit } }) => ({
		data: await readChainPage(deps, after, limit),
	})),
]
