import { beforeEach, describe, expect, test } from 'vitest'
import { createApiKey, listApiKeys } from '#schema/contract/accounts/api-keys.ts'
import { listAuditLog } from '#schema/contract/accounts/audit/audit-log.ts'
import {
	denyDeviceRequest,
	findDeviceRequest,
	pollDeviceToken,
	startDeviceRequest,
} from '#schema/contract/accounts/device-flow.ts'
import { changePassword, reauthenticate } from '#schema/contract/accounts/identity.ts'
import { getOrg } from '#schema/contract/accounts/orgs.ts'
import { updateSecuritySettings } from '#schema/contract/accounts/security.ts'
import { suspendOrg } from '#schema/contract/accounts/suspension.ts'
import { createAsset } from '#schema/contract/video/assets.ts'
import { DAY, MINUTE, SECOND } from '../../../../edge/platform/clock.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { select } from '../../community/community.ts'
import { start } from '../identity/impersonation/impersonate.ts'
import { readErrorCode, startDevice } from './device.ts'

let world: World
let root: Person
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	root = await world.person()
	ada = await world.person()
})

const lookUp = (userCode: string, who: { token: string; ip?: string }) =>
	world.ask(findDeviceRequest, { body: { userCode } }, who)
const keysOf = async (who: Person) =>
	(await world.ask(listApiKeys, { params: { orgId: who.orgId }, query: {} }, who)).ok.data
const join = (orgId: string, { userId }: Person, role: string) =>
	world.deps(({ db }) =>
		db.all(`insert into org_members values ('${orgId}', ${userId}, '${role}', 1) returning 1`),
	)

describe('a device flow', () => {
	test('a device gets one key, with the scopes that a person chose and the name of the machine', {
		tags: 'd1',
	}, async () => {
		const device = await startDevice(world)
		expect(readErrorCode(await device.poll())).toEqual([400, 'authorization_pending'])
		const shown = (await lookUp(device.userCode, { ...ada, ip: '198.18.0.200' })).ok.data
		expect(shown).toMatchObject({
			clientId: 'playhouse-cli',
			deviceName: 'build-7',
			scopes: ['read', 'write'],
			place: { country: null, network: '198.18.0.0/24' },
			// The addresses of these tests are not public.
			sameNetwork: null,
		})
		expect((await lookUp(device.userCode, ada)).ok.data.sameNetwork).toBe(false)
		expect((await device.approve(ada, ['read'])).ok.data).toEqual({ deviceName: 'build-7', scopes: ['read'] })
		world.pass(5 * SECOND)
		const given = await device.poll()
		expect(given.ok).toMatchObject({ token_type: 'Bearer', scope: 'read', org_id: ada.orgId })
		expect(given.headers.get('cache-control')).toBe('no-store')

		const bearer = { token: given.ok.access_token }
		expect((await world.ask(getOrg, { params: { orgId: ada.orgId } }, bearer)).status).toBe(200)
		expect((await world.ask(createAsset, { body: { title: 'Film' } }, bearer)).status).toBe(403)
		expect(await keysOf(ada)).toMatchObject([
			{ name: 'build-7', scopes: ['read'], createdBy: { id: ada.userId } },
		])
		expect(readErrorCode(await device.poll())).toEqual([400, 'invalid_grant'])
		expect(await keysOf(ada)).toHaveLength(1)
	})

	test('concurrent polls of a device return one key', async () => {
		const device = await startDevice(world)
		await device.approve(ada)
		const answers = await Promise.all(Array.from({ length: 6 }, () => device.poll()))
		expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400, 400, 400])
		expect(await keysOf(ada)).toHaveLength(1)
	})

	test('a device that polls too often gets slow_down, and then waits longer', async () => {
		const device = await startDevice(world)
		const seen: unknown[] = []
		for (const seconds of [0, 5, 1, 6, 16]) {
			world.pass(seconds * SECOND)
			seen.push(readErrorCode(await device.poll())[1])
		}
		expect(seen).toEqual([
			'authorization_pending',
			'authorization_pending',
			'slow_down',
			// Ten seconds now, and 15 after this one.
			'slow_down',
			'authorization_pending',
		])
		world.pass(20 * SECOND)
		const both = await Promise.all([device.poll(), device.poll()])
		expect(both.map((answer) => readErrorCode(answer)[1]).toSorted()).toEqual([
			'authorization_pending',
			'slow_down',
		])
	})

	test('a device gets expired_token for expired codes, even after an approval, until the rows are deleted', async () => {
		const [device, approved] = [await startDevice(world), await startDevice(world)]
		await approved.approve(ada)
		world.pass(10 * MINUTE)
		for (const { poll } of [device, approved])
			expect(readErrorCode(await poll())).toEqual([400, 'expired_token'])
		expect((await device.approve(ada)).status).toBe(404)
		world.pass(DAY)
		await world.cron('17 3 * * *')
		expect(readErrorCode(await device.poll())).toEqual([400, 'invalid_grant'])
		expect(await select(world, 'select * from device_requests')).toEqual([])
	})

	test('a device gets access_denied after a person refused', async () => {
		const device = await startDevice(world)
		const body = { userCode: device.userCode }
		expect((await world.ask(denyDeviceRequest, { body }, ada)).status).toBe(200)
		expect(readErrorCode(await device.poll())).toEqual([400, 'access_denied'])
		for (const again of [await device.approve(ada), await world.ask(denyDeviceRequest, { body }, ada)])
			expect(again.status).toBe(404)
	})

	test('a device may send forms, and gets the error codes of OAuth', async () => {
		const headers = { 'content-type': 'application/x-www-form-urlencoded' }
		const send = (op: typeof startDeviceRequest | typeof pollDeviceToken, form: string) =>
			world.ask(op as typeof startDeviceRequest, { body: form as never }, { headers })
		const started = await send(startDeviceRequest, 'client_id=cli&scope=read+admin&device_name=&unknown=1')
		expect(started.ok).toMatchObject({
			verification_uri: 'https://edge.test/device',
			verification_uri_complete: `https://edge.test/device#${started.ok.user_code}`,
			expires_in: 600,
			interval: 5,
		})
		expect((await lookUp(started.ok.user_code, ada)).ok.data).toMatchObject({
			deviceName: 'cli',
			scopes: ['read', 'admin'],
		})
		const grant = `grant_type=${encodeURIComponent('urn:ietf:params:oauth:grant-type:device_code')}`
		const code = `device_code=${started.ok.device_code}`
		const pending = await send(pollDeviceToken, `${grant}&${code}&client_id=cli`)
		expect(readErrorCode(pending)).toEqual([400, 'authorization_pending'])
		expect(pending.headers.get('x-error-code')).toBe('authorization_pending')
		for (const [op, form, error] of [
			[startDeviceRequest, 'scope=read', 'invalid_request'],
			[startDeviceRequest, 'client_id=', 'invalid_request'],
			[startDeviceRequest, 'client_id=a&client_id=b', 'invalid_request'],
			[startDeviceRequest, 'client_id=a&scope=read+root', 'invalid_scope'],
			[startDeviceRequest, `client_id=a&device_name=${'x'.repeat(101)}`, 'invalid_request'],
			[startDeviceRequest, `client_id=a&device_name=${encodeURIComponent('a\nb')}`, 'invalid_request'],
			[pollDeviceToken, `grant_type=password&${code}&client_id=cli`, 'unsupported_grant_type'],
			[pollDeviceToken, `${grant}&${code}&client_id=other`, 'invalid_grant'],
			[pollDeviceToken, `${grant}&device_code=x&client_id=cli`, 'invalid_grant'],
			[pollDeviceToken, `${grant}&client_id=cli`, 'invalid_request'],
		] as const)
			expect([form, ...readErrorCode(await send(op, form))]).toEqual([form, 400, error])
	})

	test('a device request leaves no code and no key in the database', async () => {
		const device = await startDevice(world)
		const { userCode, deviceCode } = device
		await device.approve(ada)
		const key = (await device.poll()).ok.access_token
		const stored = JSON.stringify(await world.dump())
		for (const secret of [deviceCode, userCode, userCode.replace('-', ''), key])
			expect(stored).not.toContain(secret)
	})
})

describe('approval of a device', () => {
	test('owners and admins of the organization approve a device by session, and nobody else', {
		tags: 'd1',
	}, async () => {
		const device = await startDevice(world)
		const [admin, member] = [await world.person(), await world.person()]
		await join(ada.orgId, admin, 'admin')
		await join(ada.orgId, member, 'member')
		const asMember = await device.approve({ ...member, orgId: ada.orgId })
		const asStranger = await device.approve({ ...root, orgId: ada.orgId })
		const body = { name: 'k', scopes: ['admin' as const] }
		const { key } = (await world.ask(createApiKey, { params: { orgId: ada.orgId }, body }, ada)).ok.data
		const byKey = await device.approve({ token: key, orgId: ada.orgId })
		const { token } = await start(world, root, ada, { write: true })
		const impersonated = await device.approve({ token, orgId: ada.orgId })
		expect([asMember, asStranger, byKey, impersonated].map(({ status }) => status)).toEqual([
			403, 404, 401, 403,
		])
		expect((await lookUp(device.userCode, { token })).status).toBe(403)
		expect((await device.approve({ ...admin, orgId: ada.orgId })).status).toBe(200)
		expect((await device.approve(ada)).status).toBe(404)
	})

	test('the approval of a device needs a recent proof if the organization requires one for API keys', {
		tags: 'd1',
	}, async () => {
		await world.ask(updateSecuritySettings, { body: { recentProofForApiKeys: true } }, ada)
		world.pass(10 * MINUTE)
		const device = await startDevice(world)
		expect((await device.approve(ada)).code).toBe('reauthentication_required')
		await world.ask(reauthenticate, { body: { password: ada.password } }, ada)
		expect((await device.approve(ada)).status).toBe(200)
	})

	test('the approval of a device can’t add scopes, and yields no key beyond the limit of the tier', async () => {
		await world.deps(({ db }) => db.all("update orgs set tier = 'free' returning 1"))
		const device = await startDevice(world, { scope: 'read' })
		expect((await device.approve(ada, ['read', 'write'])).status).toBe(400)
		const params = { orgId: ada.orgId }
		const fill = async () => {
			while ((await world.ask(createApiKey, { params, body: { name: 'k' } }, ada)).status === 201);
		}
		const late = await startDevice(world)
		expect((await late.approve(ada)).status).toBe(200)
		await fill()
		expect((await device.approve(ada, ['read'])).code).toBe('plan_limit')
		expect(readErrorCode(await late.poll())).toEqual([400, 'access_denied'])
	})

	test.each<[string, (who: Person) => Promise<unknown>]>([
		[
			'a change of the password',
			({ token, password }) =>
				world.ask(
					changePassword,
					{ body: { currentPassword: password, newPassword: 'another horse battery' } },
					{ token },
				),
		],
		[
			'the loss of the role',
			({ userId }) =>
				world.deps(({ db }) =>
					db.all(`update org_members set role = 'member' where user_id = ${userId} returning 1`),
				),
		],
		[
			'a lock of the account',
			({ userId }) =>
				world.deps(({ db }) => db.all(`update users set locked_at = 1 where id = ${userId} returning 1`)),
		],
		[
			'a suspension of the organization',
			({ orgId }) => world.ask(suspendOrg, { params: { orgId }, body: { reason: 'abuse' } }, root),
		],
	])('the approval of a device counts no longer after %s', async (_, act) => {
		const device = await startDevice(world)
		expect((await device.approve(ada)).status).toBe(200)
		await act(ada)
		expect(readErrorCode(await device.poll())).toEqual([400, 'access_denied'])
		expect(await select(world, 'select 1 from api_keys')).toEqual([])
	})

	test('the audit log shows the approval of a device and its key, in the name of the person', {
		tags: 'd1',
	}, async () => {
		const device = await startDevice(world)
		await device.approve(ada)
		await device.poll()
		const { ok } = await world.ask(listAuditLog, { params: { orgId: ada.orgId }, query: {} }, ada)
		expect(ok.data.slice(0, 2)).toMatchObject([
			{ action: 'api_key.created', actor: { kind: 'user', userId: ada.userId } },
			{
				action: 'device.approved',
				actor: { kind: 'user', userId: ada.userId },
				details: { scopes: ['read', 'write'] },
			},
		])
	})
})

describe('wrong device codes', () => {
	test('a person may enter five wrong device codes in 10 minutes, and right codes don’t count', async () => {
		const device = await startDevice(world)
		const typed = ` ${device.userCode.toLowerCase().replace('-', ' – ')} `
		const wrong = ['BBBB-BBBB', 'AAAA-AAAA', '1', '–']
		for (let i = 0; i < 7; i++) expect((await lookUp(typed, ada)).status).toBe(200)
		const statuses: number[] = []
		for (const text of wrong) statuses.push((await lookUp(text, ada)).status)
		statuses.push((await world.ask(denyDeviceRequest, { body: { userCode: 'CCCC-CCCC' } }, ada)).status)
		expect(statuses).toEqual([404, 404, 404, 404, 404])
		expect((await lookUp(device.userCode, ada)).status).toBe(429)
		expect((await lookUp(device.userCode, root)).status).toBe(200)
		world.pass(10 * MINUTE)
		const next = await startDevice(world)
		expect((await lookUp(next.userCode, ada)).status).toBe(200)
	})

	test('wrong device codes are counted per network, so that several accounts gain nothing', {
		tags: 'd1',
	}, async () => {
		const ip = '203.0.113.5'
		for (let i = 0; i < 6; i++) {
			const person = await world.person()
			for (let tries = 0; tries < 5; tries++)
				expect((await lookUp('BBBB-BBBB', { ...person, ip })).status).toBe(404)
		}
		const { userCode } = await startDevice(world)
		expect((await lookUp(userCode, { ...ada, ip })).status).toBe(429)
		expect((await lookUp(userCode, ada)).status).toBe(200)
	})
})
