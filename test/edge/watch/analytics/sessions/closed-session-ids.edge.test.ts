/** @module-tag d1 */
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { ClosedSessionIds } from '../../../../../edge/watch/analytics/sessions/closed-session-ids.ts'

const NOW = Date.UTC(2037, 10, 21, 12)
const MINUTE = 60_000

test('the ids of closed sessions are bounded, and the oldest are dropped, in the database too', async () => {
	await runInDurableObject(env.PLAYBACK_SESSIONS.getByName(crypto.randomUUID()), (_, { storage }) => {
		const open = () => new ClosedSessionIds(storage.sql, 5)
		const ids = open()
		for (let k = 0; k < 9; k++) {
			ids.add(`session-${k}`, NOW + k * MINUTE)
			ids.prune(NOW - 35 * MINUTE)
			ids.flush()
		}
		const known = (of: ClosedSessionIds) =>
			Array.from({ length: 9 }, (_, k) => k).filter((k) => of.has(`session-${k}`))
		expect(known(ids)).toEqual([4, 5, 6, 7, 8])
		expect(known(open())).toEqual([4, 5, 6, 7, 8])
		// Those that were not written yet, too.
		for (let k = 9; k < 15; k++) ids.add(`session-${k}`, NOW + k * MINUTE)
		ids.prune(NOW)
		ids.flush()
		expect(known(open())).toEqual([])
		expect(open().has('session-9')).toBe(false)
		expect(open().has('session-10')).toBe(true)
	})
})
