import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { pruneErasures } from '../../../../edge/operations/account-deletion/ledger/ledger.ts'
import { DAY } from '../../../../edge/platform/clock.ts'
import { openWorld } from '../../../support/edge/world.ts'

test('an erasure is remembered for as long as backups may be kept, even if that was shorter before', async () => {
	const world = await openWorld({ ERASURE_LEDGER_DAYS: '365' })
	const completedAt = world.now - 40 * DAY
	await world.deps(({ db }) =>
		db.all(
			`insert into erasure_ledger (id, user_id, delete_content, completed_at, purge_after) values ('del_1', 7, 0, ${completedAt}, ${completedAt + 30 * DAY}) returning 1`,
		),
	)
	await env.VAULT.put('erasures/del_1.json', '{}')
	const known = async () => [
		(await world.deps(({ db }) => db.all('select id from erasure_ledger'))).length,
		(await env.VAULT.list({ prefix: 'erasures/' })).objects.length,
	]
	await world.deps(pruneErasures)
	expect(await known()).toEqual([1, 1])
	world.set({ ERASURE_LEDGER_DAYS: '30' })
	// A restore of this backup would need it.
	const setBackups = (sql: string) => world.deps(({ db }) => db.all(`${sql} returning 1`))
	await setBackups(
		`insert into backups (id, reason, state, started_at, sealed_key, due_at) values ('bkp_1', 'daily', 'completed', ${completedAt - DAY}, '', 0)`,
	)
	await world.deps(pruneErasures)
	expect(await known()).toEqual([1, 1])
	await setBackups('delete from backups')
	await world.deps(pruneErasures)
	expect(await known()).toEqual([0, 0])
})
