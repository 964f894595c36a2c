import { beforeEach, describe, expect, test } from 'vitest'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import { listAuditLog } from '#schema/contract/accounts/audit/audit-log.ts'
import { changePassword, getMe, reauthenticate, switchOrg } from '#schema/contract/accounts/identity.ts'
import { removeMember } from '#schema/contract/accounts/org-members.ts'
import { createOrg, getOrg, updateOrg } from '#schema/contract/accounts/orgs.ts'
import { listSessions, logout, refreshToken, revokeSession } from '#schema/contract/accounts/sessions.ts'
import {
	endImpersonation,
	listImpersonations,
	setSupportAccess,
} from '#schema/contract/operations/admin/impersonation.ts'
import { createAsset, deleteAsset, getAsset, listAssets, updateAsset } from '#schema/contract/video/assets.ts'
import { createCollection } from '#schema/contract/video/collections.ts'
import { getAssetPlayback, getPlayback } from '#schema/contract/watch/playback.ts'
import { DAY, MINUTE } from '../../../../../edge/platform/clock.ts'
import { openWorld, type Person, type World } from '../../../../support/edge/world.ts'
import { select } from '../../../community/community.ts'
import { makeReady } from '../../../watch/playback/ready-asset.ts'
import { ask, REASON, start } from './impersonate.ts'

let world: World
let root: Person
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	root = await world.person()
	ada = await world.person()
})

const ofAda = () => ({ orgId: ada.orgId })
const prove = () => world.ask(reauthenticate, { body: { password: root.password } }, root)
const me = (token: string) => world.ask(getMe, {}, { token })
const codeOf = async (asked: ReturnType<typeof ask>) => {
	const { status, code } = await asked
	return [status, code]
}
const join = (orgId: string, { userId }: Person, role = 'member') =>
	world.deps(({ db }) =>
		db.all(`insert into org_members values ('${orgId}', ${userId}, '${role}', 1) returning 1`),
	)
const makeSuperadmin = ({ userId }: Person) =>
	world.deps(({ db }) => db.all(`update users set is_superadmin = 1 where id = ${userId} returning 1`))

describe('the start of an impersonation', () => {
	test('nobody but a superadmin starts an impersonation, whatever the request names', async () => {
		for (const member of [ada, root, { userId: 999, orgId: `org_${'0'.repeat(26)}` }])
			expect(await codeOf(ask(world, ada, member))).toEqual([403, 'forbidden'])
	})

	test('no superadmin impersonates themselves, a superadmin or somebody outside the organization', async () => {
		const other = await world.person()
		expect(await codeOf(ask(world, root, root))).toEqual([403, 'forbidden'])
		const second = await world.person()
		await makeSuperadmin(second)
		await join(ada.orgId, second)
		expect(await codeOf(ask(world, root, { ...second, orgId: ada.orgId }))).toEqual([403, 'forbidden'])
		const stranger = await ask(world, root, { ...other, orgId: ada.orgId })
		const nobody = await ask(world, root, { userId: 999, orgId: ada.orgId })
		const nowhere = await ask(world, root, { ...ada, orgId: `org_${'0'.repeat(26)}` })
		expect(stranger.status).toBe(404)
		for (const same of [nobody, nowhere]) expect([same.status, same.text]).toEqual([404, stranger.text])
		expect(await select(world, 'select * from impersonations')).toEqual([])
	})

	test('the start of an impersonation needs a reason of 10 characters, and it ends within an hour', async () => {
		for (const more of [{ reason: 'too short' }, { reason: '          x' }, { minutes: 61 }, { minutes: 0 }])
			expect((await ask(world, root, ada, more)).status).toBe(400)
		const { token } = await start(world, root, ada)
		world.pass(60 * MINUTE - 5)
		expect((await me(token)).status).toBe(200)
		world.pass(5)
		expect((await me(token)).status).toBe(401)
		await prove()
		const brief = await start(world, root, ada, { minutes: 1 })
		world.pass(MINUTE)
		expect((await me(brief.token)).status).toBe(401)
	})

	test('the start of an impersonation needs the password within the last 10 minutes', async () => {
		world.pass(10 * MINUTE)
		for (const write of [false, true])
			expect(await codeOf(ask(world, root, ada, { write }))).toEqual([403, 'reauthentication_required'])
		await prove()
		expect((await ask(world, root, ada)).status).toBe(201)
	})
})

describe('an impersonation', () => {
	test('/v1/auth/me and a header of each response, even of errors, name the impersonator', async () => {
		const { token } = await start(world, root, ada, { caseNumber: 'T-7' })
		const read = await me(token)
		expect(read.ok.data).toMatchObject({
			user: { id: ada.userId, isSuperadmin: false },
			impersonation: { by: { userId: root.userId, email: root.email }, write: false, reason: REASON },
		})
		expect(read.headers.get('x-impersonation')).toBe('read')
		const unknown = { params: { assetId: `ast_${'0'.repeat(26)}` } }
		const missing = await world.ask(getAsset, unknown, { token })
		expect([missing.status, missing.headers.get('x-impersonation')]).toEqual([404, 'read'])
		const own = await world.ask(getMe, {}, ada)
		expect([own.ok.data.impersonation, own.headers.get('x-impersonation')]).toEqual([null, null])
	})

	test('an impersonation shows its organization, and no other of the member', async () => {
		const second = (await world.ask(createOrg, { body: { name: 'Second' } }, ada)).ok.data
		const { token } = await start(world, root, ada)
		expect((await me(token)).ok.data.memberships.map(({ orgId }) => orgId)).toEqual([ada.orgId])
		const missing = await world.ask(getOrg, { params: { orgId: second.id } }, { token })
		const unknown = await world.ask(getOrg, { params: { orgId: `org_${'0'.repeat(26)}` } }, { token })
		expect([missing.status, missing.text]).toEqual([404, unknown.text])
		expect((await world.ask(switchOrg, { body: { orgId: second.id } }, { token })).code).toBe('forbidden')
	})

	test('an impersonation has the role of the member, and no higher one', async () => {
		const member = await world.person()
		await join(ada.orgId, member)
		const { token } = await start(world, root, { ...member, orgId: ada.orgId }, { write: true })
		expect((await world.ask(getOrg, { params: ofAda() }, { token })).ok.data.role).toBe('member')
	})

	test('an impersonation refuses closed operations alike, whether or not the named resource exists', async () => {
		const asset = (await world.ask(createAsset, { body: { title: 'Film' } }, ada)).ok.data
		const { token } = await start(world, root, ada, { write: true })
		const existing = await world.ask(deleteAsset, { params: { assetId: asset.id } }, { token })
		const missing = await world.ask(deleteAsset, { params: { assetId: `ast_${'0'.repeat(26)}` } }, { token })
		expect([existing.status, existing.text]).toEqual([403, missing.text])
		expect((await world.ask(createApiKey, { params: ofAda(), body: { name: 'k' } }, { token })).status).toBe(
			403,
		)
	})

	test('an impersonation is listed among the sessions of the member, who can end it', async () => {
		const { token, impersonation } = await start(world, root, ada)
		world.pass(6 * MINUTE)
		await me(token)
		const listed = (await world.ask(listSessions, {}, ada)).ok.data
		expect(listed.map(({ impersonator }) => impersonator?.email)).toEqual([root.email, undefined])
		expect(listed[0]).toMatchObject({ id: impersonation.id, ip: '', userAgent: '', current: false })
		const [createdAt, lastSeenAt] = [listed[0]?.createdAt, listed[0]?.lastSeenAt].map((at) =>
			Date.parse(at ?? ''),
		)
		expect(lastSeenAt).toBeGreaterThanOrEqual((createdAt ?? 0) + 6 * MINUTE)
		const end = (who: Person) => world.ask(revokeSession, { params: { sessionId: impersonation.id } }, who)
		expect((await end(await world.person())).status).toBe(404)
		expect((await me(token)).status).toBe(200)
		expect((await end(ada)).status).toBe(200)
		expect((await me(token)).status).toBe(401)
		expect((await world.ask(listSessions, {}, ada)).ok.data).toHaveLength(1)
		const [ended] = (await world.ask(listAuditLog, { params: ofAda(), query: {} }, ada)).ok.data
		expect(ended).toMatchObject({ action: 'impersonation.ended', actor: { userId: ada.userId } })
	})

	test('an impersonation can’t start another one or renew its token', async () => {
		const other = await world.person()
		const { token } = await start(world, root, ada, { write: true })
		expect((await ask(world, { token }, other)).code).toBe('forbidden')
		expect((await world.ask(refreshToken, {}, { token })).status).toBe(401)
	})

	test('an impersonation keeps its idempotent responses apart from those of the member', async () => {
		const { token } = await start(world, root, ada, { write: true })
		const other = await start(world, root, ada, { write: true })
		const headers = { 'idempotency-key': 'same-key' }
		const create = (who: string) =>
			world.ask(createCollection, { body: { name: 'Films', color: 'red' } }, { token: who, headers })
		const made = await create(ada.token)
		for (const who of [token, other.token]) {
			const { status, ok, headers: answered } = await create(who)
			expect([status, answered.get('idempotent-replayed')]).toEqual([201, null])
			expect(ok.data.id).not.toBe(made.ok.data.id)
			expect((await create(who)).ok.data.id).toBe(ok.data.id)
		}
		expect((await create(ada.token)).ok.data.id).toBe(made.ok.data.id)
	})

	test('an impersonation gets links to signed videos for 10 minutes, and none that outlives it', async () => {
		const { id, playbackId } = await makeReady(world, ada)
		await world.ask(updateAsset, { params: { assetId: id }, body: { visibility: 'signed' } }, ada)
		const { token } = await start(world, root, ada, { minutes: 15 })
		const minutesOf = (link: string) =>
			(JSON.parse(atob(link.split('/~')[1]?.split('.')[1] ?? '')).exp * 1000 - world.now) / MINUTE
		const links = async () => {
			const own = await world.ask(getAssetPlayback, { params: { assetId: id } }, { token })
			const asViewer = await world.ask(getPlayback, { params: { playbackId }, query: {} }, { token })
			return [own.ok.data.manifestUrl, asViewer.ok.data.manifestUrl].map(minutesOf)
		}
		for (const minutes of await links()) expect(minutes).toBeCloseTo(10, 1)
		world.pass(10 * MINUTE)
		for (const minutes of await links()) expect(minutes).toBeCloseTo(5, 1)
	})

	test('a change during an impersonation is recorded as made by the superadmin on behalf of the member', async () => {
		const { token, impersonation } = await start(world, root, ada, { write: true })
		await world.ask(logout, {}, { token })
		const { ok } = await world.ask(listAuditLog, { params: ofAda(), query: {} }, ada)
		const [ended, request, started] = ok.data
		expect(ended).toMatchObject({
			action: 'impersonation.ended',
			actor: { userId: root.userId, email: root.email },
			onBehalfOf: { userId: ada.userId, email: ada.email },
			target: { kind: 'impersonation', id: impersonation.id },
		})
		expect(request).toMatchObject({ action: 'impersonation.request', details: { operation: 'logout' } })
		expect(started).toMatchObject({
			action: 'impersonation.started',
			onBehalfOf: null,
			details: { write: true },
		})
	})

	test('an impersonation costs other requests no statement, and its own requests one for the entry', async () => {
		const { token } = await start(world, root, ada)
		const own = await world.ask(listAssets, { query: {} }, ada)
		const acted = await world.ask(listAssets, { query: {} }, { token })
		expect(acted.statements.length).toBe(own.statements.length + 1)
		expect(own.statements.join()).not.toContain('impersonations')
	})
})

describe('the end of an impersonation', () => {
	const isOver = async (token: string) => (await me(token)).status === 401

	test.each<[string, (token: string) => Promise<unknown>]>([
		['when it is signed out', (token) => world.ask(logout, {}, { token })],
		['with the session of the superadmin', () => world.ask(logout, {}, root)],
		[
			'when the superadmin changes their password',
			() =>
				world.ask(
					changePassword,
					{ body: { currentPassword: root.password, newPassword: 'another horse battery' } },
					root,
				),
		],
		[
			'when the superadmin is none any more',
			() => world.deps(({ db }) => db.all('update users set is_superadmin = 0 returning 1')),
		],
		['when the member becomes a superadmin', () => makeSuperadmin(ada)],
		[
			'when the member is locked',
			() =>
				world.deps(({ db }) => db.all(`update users set locked_at = 1 where id = ${ada.userId} returning 1`)),
		],
		[
			'when the organization switches support access off',
			() => world.ask(setSupportAccess, { params: ofAda(), body: { allowed: false } }, ada),
		],
	])('an impersonation ends %s', async (_, act) => {
		const { token } = await start(world, root, ada)
		expect(await isOver(token)).toBe(false)
		await act(token)
		expect(await isOver(token)).toBe(true)
	})

	test('an impersonation ends when the member leaves the organization', async () => {
		const member = await world.person()
		await join(ada.orgId, member)
		const { token } = await start(world, root, { ...member, orgId: ada.orgId })
		await world.ask(removeMember, { params: { ...ofAda(), userId: String(member.userId) } }, ada)
		expect(await isOver(token)).toBe(true)
	})

	test('an owner ends an impersonation, once', async () => {
		const { token, impersonation } = await start(world, root, ada)
		const params = { ...ofAda(), impersonationId: impersonation.id }
		expect((await world.ask(endImpersonation, { params }, ada)).status).toBe(200)
		expect(await isOver(token)).toBe(true)
		expect((await world.ask(endImpersonation, { params }, ada)).status).toBe(404)
		const [shown] = (await world.ask(listImpersonations, { params: ofAda(), query: {} }, ada)).ok.data
		expect(shown).toMatchObject({ id: impersonation.id, reason: REASON, endedAt: expect.any(String) })
	})

	test('an owner of another organization or a member without rights can’t end an impersonation', async () => {
		const member = await world.person()
		await join(ada.orgId, member)
		const { token, impersonation } = await start(world, root, ada)
		const foreign = { orgId: member.orgId, impersonationId: impersonation.id }
		expect((await world.ask(endImpersonation, { params: foreign }, member)).status).toBe(404)
		const params = { ...ofAda(), impersonationId: impersonation.id }
		expect((await world.ask(endImpersonation, { params }, member)).status).toBe(403)
		expect((await world.ask(listImpersonations, { params: ofAda(), query: {} }, member)).status).toBe(403)
		expect(await isOver(token)).toBe(false)
	})
})

describe('support access', () => {
	const allow = (allowed: boolean) => world.ask(setSupportAccess, { params: ofAda(), body: { allowed } }, ada)

	test('disabled support access refuses impersonations, and those that it ended stay ended', async () => {
		const { token } = await start(world, root, ada)
		await allow(false)
		expect((await world.ask(getOrg, { params: ofAda() }, ada)).ok.data.supportAccess).toBe(false)
		expect(await codeOf(ask(world, root, ada))).toEqual([403, 'forbidden'])
		await allow(true)
		expect((await me(token)).status).toBe(401)
		expect((await ask(world, root, ada)).status).toBe(201)
	})

	test('changes of support access are recorded, and an impersonated owner can’t make them', async () => {
		await allow(false)
		await allow(false)
		await allow(true)
		const entries = await select<{ details: string }>(
			world,
			"select details from audit_log where action = 'support_access.changed' order by position",
		)
		expect(entries.map(({ details }) => JSON.parse(details))).toEqual([{ allowed: false }, { allowed: true }])
		const { token } = await start(world, root, ada, { write: true })
		const input = { params: ofAda(), body: { allowed: true } }
		expect((await world.ask(setSupportAccess, input, { token })).status).toBe(403)
		expect((await world.ask(updateOrg, { params: ofAda(), body: { name: 'Mine' } }, { token })).status).toBe(
			403,
		)
	})
})

test('lists of impersonations are paged, newest first, and records are deleted after a year', async () => {
	for (let i = 0; i < 3; i++) await start(world, root, ada, { caseNumber: `T-${i}` })
	const list = (query: object) => world.ask(listImpersonations, { params: ofAda(), query }, ada)
	const first = await list({ limit: '2' })
	const rest = await list({ limit: '2', cursor: first.headers.get('x-next-cursor') })
	expect([...first.ok.data, ...rest.ok.data].map(({ caseNumber }) => caseNumber)).toEqual([
		'T-2',
		'T-1',
		'T-0',
	])
	const count = async () => (await select(world, 'select 1 from impersonations')).length
	world.pass(365 * DAY)
	await world.cron('17 3 * * *')
	expect(await count()).toBe(3)
	world.pass(2 * 60 * MINUTE)
	await world.cron('17 3 * * *')
	expect(await count()).toBe(0)
})
