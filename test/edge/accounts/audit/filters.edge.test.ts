import { expect, test } from 'vitest'
import { type AuditFilter, auditStore } from '../../../../edge/accounts/audit/store.ts'
import { openWorld } from '../../../support/edge/world.ts'

const orgId = `org_${'0'.repeat(26)}`
const key = { actor: `key_${'0'.repeat(26)}` }
const user = { actor: '1' }
const action = { action: 'org.updated' } as const
const time = { since: 1, until: 2 }

const indexOf: [string, AuditFilter][] = [
	['audit_log_time', {}],
	['audit_log_time', time],
	['audit_log_action', action],
	['audit_log_action', { ...action, ...time }],
	['audit_log_actor', user],
	['audit_log_actor', { ...user, ...action, ...time }],
	['audit_log_actor_id', key],
	['audit_log_actor_id', { ...key, ...action, ...time }],
	...[orgId, null].flatMap((of): [string, AuditFilter][] => [
		['audit_log_org', { orgId: of }],
		['audit_log_org', { orgId: of, ...time }],
		['audit_log_org_action', { orgId: of, ...action }],
		['audit_log_org_action', { orgId: of, ...action, ...time }],
		['audit_log_actor', { orgId: of, ...user }],
		['audit_log_actor', { orgId: of, ...user, ...action, ...time }],
		['audit_log_actor_id', { orgId: of, ...key }],
		['audit_log_actor_id', { orgId: of, ...key, ...action, ...time }],
	]),
]

test('each filter of the audit log searches an index, and none sorts or scans the table', async () => {
	const world = await openWorld()
	for (const [index, filter] of indexOf)
		for (const position of [null, [2, 1] as const]) {
			world.statements.length = 0
			await world.perform(({ db }) => auditStore(db).list(filter, 1, position))
			expect(world.statements).toHaveLength(1)
			const plan = await world.plan(world.statements[0] ?? '')
			const verb = Object.keys(filter).length === 0 && !position ? 'SCAN' : 'SEARCH'
			expect([filter, plan]).toEqual([
				filter,
				[expect.stringMatching(`^${verb} audit_log USING INDEX ${index}\\b`)],
			])
		}
})
