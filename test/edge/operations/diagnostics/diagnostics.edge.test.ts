/** @module-tag d1 */
import { beforeEach, expect, test } from 'vitest'
import { inviteMember } from '#schema/contract/accounts/org-members.ts'
import { getDiagnostics } from '#schema/contract/operations/diagnostics.ts'
import { deadLetters } from '#schema/tables/platform.ts'
import { MINUTE } from '../../../../edge/platform/clock.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { machine } from '../../video/fleet/fleet.ts'

let world: World
let admin: Person
beforeEach(async () => {
	world = await openWorld()
	admin = await world.person()
})

const diagnose = async () => (await world.ask(getDiagnostics, {}, admin)).ok.data

test('diagnostics report every part of a healthy installation', async () => {
	await machine(world)
	expect(await diagnose()).toMatchObject({
		ok: true,
		database: { ok: true },
		storage: { vault: { ok: true }, media: { ok: true } },
		queue: { ok: true, deadLetters: 0 },
		machines: { online: 1, draining: 0, total: 1 },
	})
})

test('silent machines count as neither online nor draining in diagnostics', async () => {
	await machine(world)
	world.pass(2 * MINUTE)
	await machine(world)
	expect((await diagnose()).machines).toEqual({ online: 1, draining: 0, outdated: 0, total: 2 })
})

test('a failing bucket is reported beside healthy parts', async () => {
	const head = () => Promise.reject(new Error('no such bucket'))
	Object.assign(world.bindings, { MEDIA: { head } })
	expect(await diagnose()).toMatchObject({
		ok: false,
		database: { ok: true },
		storage: { vault: { ok: true }, media: { ok: false } },
	})
	expect(world.logs).toContainEqual(expect.objectContaining({ part: 'media', error: 'no such bucket' }))
})

test('an event that waits too long makes the queue unhealthy in diagnostics', async () => {
	const invitation = { params: { orgId: admin.orgId }, body: { email: 'new@example.org' } }
	await world.ask(inviteMember, invitation, admin)
	const { queue } = await diagnose()
	expect(queue?.waiting).toBeGreaterThan(0)
	world.pass(6 * MINUTE)
	expect(await diagnose()).toMatchObject({ ok: false, queue: { ok: false, waiting: queue?.waiting } })
})

test('diagnostics count dead letters until they are sent again', async () => {
	await world.deps(({ db, now }) => {
		const letter = { queue: 'playhouse-bulk', type: 'mail.send', attempts: 9, createdAt: now, body: {} }
		return db.insert(deadLetters).values([
			{ ...letter, id: 'dlt_1' },
			{ ...letter, id: 'dlt_2', retriedAt: now },
		])
	})
	expect((await diagnose()).queue?.deadLetters).toBe(1)
})

test('diagnostics are for superadmins only', async () => {
	const { token } = await world.person()
	expect((await world.ask(getDiagnostics, {}, { token })).status).toBe(403)
	expect((await world.ask(getDiagnostics, {})).status).toBe(401)
})
