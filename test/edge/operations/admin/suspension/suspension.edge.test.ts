import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { listAuditLog, listInstallationAuditLog } from '#schema/contract/accounts/audit/audit-log.ts'
import { getOrg } from '#schema/contract/accounts/orgs.ts'
import { type SuspensionReason, suspendOrg, unsuspendOrg } from '#schema/contract/accounts/suspension.ts'
import { setAvatar } from '#schema/contract/community/member/avatars.ts'
import { streamNotifications } from '#schema/contract/community/member/notifications.ts'
import { refreshMemberToken } from '#schema/contract/community/member/tokens.ts'
import { createAsset, createPlaybackToken, listAssets, updateAsset } from '#schema/contract/video/assets.ts'
import { completeUpload, createUploadUrl } from '#schema/contract/video/uploads.ts'
import { listComments } from '#schema/contract/watch/comments.ts'
import { getOEmbed } from '#schema/contract/watch/oembed.ts'
import { getPlayback, getThumbnail } from '#schema/contract/watch/playback.ts'
import { setLogo } from '#schema/contract/watch/settings/logo.ts'
import { getPublicSettings } from '#schema/contract/watch/settings/public-settings.ts'
import { DAY } from '../../../../../edge/platform/clock.ts'
import { deleteCached } from '../../../../../edge/platform/network/edge-cache.ts'
import { deleteCachedPlayable } from '../../../../../edge/video/assets/playable/playable.ts'
import { openWorld, type Person, type World } from '../../../../support/edge/world.ts'
import { wholePng } from '../../../../support/shared/whole-pictures.ts'
import { memberTokens, openCommunity, select } from '../../../community/community.ts'
import { openMachine } from '../../../video/transcoding/fake-machine.ts'
import { aFilm } from '../../../video/transcoding/sources.ts'
import { openStudio } from '../../../video/transcoding/transcoding-fixture.ts'
import { makeReady } from '../../../watch/playback/ready-asset.ts'

let world: World
let root: Person
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	root = await world.person()
	ada = await world.person()
})

const change = async (
	op: typeof suspendOrg | typeof unsuspendOrg,
	reason: SuspensionReason,
	orgId = ada.orgId,
	who = root,
) => world.ask(op, { params: { orgId }, body: { reason } }, who)
const suspend = (reason: SuspensionReason, orgId?: string) => change(suspendOrg, reason, orgId)
const lift = (reason: SuspensionReason, orgId?: string) => change(unsuspendOrg, reason, orgId)
const entries = () =>
	select<{ action: string }>(
		world,
		"select action from audit_log where action like 'org.%suspended' order by position",
	)

describe('the reasons of a suspension', () => {
	test('the reasons of a suspension are a set, and each is lifted by itself', { tags: 'd1' }, async () => {
		expect((await suspend('billing')).ok.data).toEqual({
			orgId: ada.orgId,
			suspended: false,
			suspensionReasons: ['billing'],
		})
		expect((await suspend('abuse')).ok.data).toMatchObject({
			suspended: true,
			suspensionReasons: ['abuse', 'billing'],
		})
		await suspend('operator')
		const since = await select(world, `select suspended_at from orgs where id = '${ada.orgId}'`)
		expect((await lift('abuse')).ok.data.suspended).toBe(true)
		expect(await select(world, `select suspended_at from orgs where id = '${ada.orgId}'`)).toEqual(since)
		expect((await lift('operator')).ok.data).toMatchObject({
			suspended: false,
			suspensionReasons: ['billing'],
		})
		const read = await world.ask(getOrg, { params: { orgId: ada.orgId } }, ada)
		expect(read.ok.data).toMatchObject({ suspended: false, suspensionReasons: ['billing'] })
	})

	test('concurrent changes of a reason of a suspension apply once, and are in the organization’s log', async () => {
		const answers = await Promise.all(Array.from({ length: 4 }, () => suspend('abuse')))
		expect(answers.map(({ ok }) => ok.data.suspensionReasons)).toEqual(Array(4).fill(['abuse']))
		await Promise.all([suspend('operator'), lift('abuse'), suspend('billing'), lift('abuse')])
		expect((await suspend('billing')).ok.data.suspensionReasons).toEqual(['billing', 'operator'])
		expect((await entries()).map(({ action }) => action).toSorted()).toEqual([
			...Array(3).fill('org.suspended'),
			'org.unsuspended',
		])
		const log = await world.ask(listAuditLog, { params: { orgId: ada.orgId }, query: {} }, ada)
		const suspended = log.ok.data.filter(({ action }) => action.endsWith('suspended'))
		expect(suspended).toHaveLength(4)
		for (const { actor, ipAddress } of suspended)
			expect([actor.userId, actor.email, ipAddress]).toEqual([null, null, null])
		const all = await world.ask(listInstallationAuditLog, { query: {} }, root)
		expect(all.ok.data.find(({ action }) => action === 'org.suspended')?.actor.email).toBe(root.email)
	})

	test('superadmins alone suspend organizations, for known reasons', { tags: 'd1' }, async () => {
		const params = { orgId: ada.orgId }
		for (const op of [suspendOrg, unsuspendOrg]) {
			expect((await world.ask(op, { params, body: { reason: 'abuse' } }, ada)).code).toBe('forbidden')
			const unknown = { orgId: `org_${'0'.repeat(26)}` }
			expect((await world.ask(op, { params: unknown, body: { reason: 'abuse' } }, root)).status).toBe(404)
			expect((await world.ask(op, { params, body: { reason: 'mood' as never } }, root)).status).toBe(400)
		}
		expect(await entries()).toEqual([])
	})

	test('the check for a suspension adds no statement to a request', { tags: 'd1' }, async () => {
		const count = async () => (await world.ask(listAssets, { query: {} }, ada)).statements.length
		const before = await count()
		await suspend('billing')
		expect(await count()).toBe(before)
		await suspend('abuse')
		expect(await count()).toBe(before - 1)
	})
})

describe('playback of a fully suspended organization', { tags: 'd1' }, () => {
	test.each(['public', 'signed'] as const)(
		'a %s video of a fully suspended organization gets 404 everywhere, and works again after',
		async (visibility) => {
			const film = await makeReady(world, ada)
			const media = `https://edge.test/media/${film.playbackId}`
			await env.MEDIA.put(`media/${film.playbackId}/v1/master.m3u8`, '#EXTM3U\n')
			const asset = { params: { assetId: film.id } }
			await world.ask(updateAsset, { ...asset, body: { visibility } }, ada)
			const { token } = (await world.ask(createPlaybackToken, { ...asset, body: {} }, ada)).ok.data
			const picture = (await world.ask(createPlaybackToken, { ...asset, body: { audience: 't' } }, ada)).ok
				.data
			const params = { playbackId: film.playbackId }
			const statuses = async () => {
				const pages = ['embed', 'watch'].map(
					(page) => `https://edge.test/${page}/${film.playbackId}?token=${token}`,
				)
				const files = [...pages, `${media}/~${token}/v1/master.m3u8`]
				const url = `https://edge.test/watch/${film.playbackId}`
				return {
					record: (await world.ask(getPlayback, { params, query: { token } })).status,
					own: (await world.ask(getPlayback, { params, query: {} }, ada)).status,
					thumbnail: (await world.ask(getThumbnail, { params, query: { token: picture.token } })).status,
					comments: (await world.ask(listComments, { params, query: { token } })).status,
					settings: (await world.ask(getPublicSettings, { query: { ...params, token } })).status,
					branding: (await world.ask(getPublicSettings, { query: { org: ada.orgSlug } })).status,
					oembed: visibility === 'signed' ? null : (await world.ask(getOEmbed, { query: { url } })).status,
					files: await Promise.all(files.map(async (file) => (await world.fetch(new Request(file))).status)),
				}
			}
			const works = await statuses()
			expect(
				Object.values(works)
					.flat()
					.filter((status) => status !== null && status !== 200),
			).toEqual([])
			const both = async (act: () => Promise<unknown>) => {
				await act()
				// A record may be cached for a minute.
				await deleteCachedPlayable(film.playbackId)
				return Object.values(await statuses())
					.flat()
					.filter((status) => status !== null)
			}
			expect(new Set(await both(() => suspend('billing')))).toEqual(new Set([200]))
			expect(new Set(await both(() => suspend('abuse')))).toEqual(new Set([404]))
			expect(new Set(await both(() => lift('abuse')))).toEqual(new Set([200]))
		},
	)
})

test('a full suspension hides the logo and avatars, and an unpaid bill does not', {
	tags: 'd1',
}, async () => {
	const community = await openCommunity(world)
	const { owner, orgId } = community
	const member = await community.member()
	const logo = (await world.ask(setLogo, {}, { token: owner.token, bytes: wholePng })).ok.data.logoUrl
	const avatar = (await world.ask(setAvatar, {}, { ...member, bytes: wholePng })).ok.avatar_url
	const statuses = async () => {
		// A location asks the database once a minute.
		await deleteCached(`logo-suspended/logos/${logo?.split('/').at(-1)}`)
		return Promise.all([logo, avatar].map(async (url) => (await world.fetch(new Request(url ?? ''))).status))
	}
	await suspend('billing', orgId)
	expect(await statuses()).toEqual([200, 200])
	await suspend('abuse', orgId)
	expect(await statuses()).toEqual([404, 404])
	await lift('abuse', orgId)
	expect(await statuses()).toEqual([200, 200])
})

test('a full suspension refuses to refresh a member token, which works afterwards', {
	tags: 'd1',
}, async () => {
	const community = await openCommunity(world)
	const member = await community.member()
	const tokens = await memberTokens(world, await community.key(['headless:auth']), member.memberId)
	const refresh = () => world.ask(refreshMemberToken, { body: { refresh_token: tokens.refresh_token } })
	await suspend('operator', community.orgId)
	expect((await refresh()).code).toBe('org_suspended')
	await lift('operator', community.orgId)
	expect((await refresh()).status).toBe(200)
})

describe('uploads and processing', { tags: 'd1' }, () => {
	test('an upload that began before an unpaid bill can be completed', async () => {
		const [film, other] = [
			(await world.ask(createAsset, { body: { title: 'A' } }, ada)).ok.data,
			(await world.ask(createAsset, { body: { title: 'B' } }, ada)).ok.data,
		]
		const params = { assetId: film.id }
		const { uploadUrl } = (await world.ask(createUploadUrl, { params }, ada)).ok.data
		await suspend('billing')
		const put = { method: 'PUT', body: 'the film', headers: { 'content-length': '8' } }
		expect((await world.fetch(new Request(uploadUrl, put))).status).toBe(200)
		expect((await world.ask(completeUpload, { params }, ada)).status).toBe(200)
		const studio = openStudio(world, ada)
		expect((await studio.asset(film.id)).status).toBe('uploaded')
		expect((await studio.start(film.id)).code).toBe('org_suspended')
		const another = { params: { assetId: other.id } }
		expect((await world.ask(createUploadUrl, another, ada)).code).toBe('org_suspended')
	})

	test('an unpaid bill lets a running job end, and starts no other', async () => {
		const studio = openStudio(world, ada)
		const machine = await openMachine(world, { info: aFilm(4) })
		const [first, second] = [await studio.upload(ada, 'A'), await studio.upload(ada, 'B')]
		await studio.start(first.assetId)
		await studio.start(second.assetId)
		const task = await machine.claim()
		if (!task) throw new Error('nothing to do')
		await suspend('billing')
		await machine.perform(task)
		await world.deliver()
		await machine.drain()
		expect((await studio.asset(first.assetId)).status).toBe('ready')
		expect((await studio.asset(second.assetId)).status).toBe('queued')
		await lift('billing')
		await machine.drain()
		expect((await studio.asset(second.assetId)).status).toBe('ready')
	})

	test('an unpaid bill does not use up the time limit of a waiting job', async () => {
		const studio = openStudio(world, ada)
		const { assetId } = await studio.upload()
		await studio.start(assetId)
		await suspend('billing')
		world.pass(8 * DAY)
		await world.cron('* * * * *')
		root = { ...root, token: await world.logIn(root) }
		await lift('billing')
		await world.cron('* * * * *')
		await (await openMachine(world, { info: aFilm(4) })).drain()
		const again = { ...ada, token: await world.logIn(ada) }
		expect((await studio.asset(assetId, again)).status).toBe('ready')
	})

	test('a full suspension ends a running task at its next heartbeat, and the job resumes after', async () => {
		const studio = openStudio(world, ada)
		const machine = await openMachine(world, { info: aFilm(4) })
		const { assetId } = await studio.upload()
		await studio.start(assetId)
		const task = await machine.claim()
		if (!task) throw new Error('nothing to do')
		const beat = () => machine.heartbeat(task)
		expect((await beat()).status).toBe(200)
		await suspend('operator')
		expect((await beat()).status).toBe(409)
		expect(await machine.claim()).toBeNull()
		expect(await machine.claim({ sources: [task.source?.id ?? ''] })).toBeNull()
		// Longer than a job may wait for a machine.
		world.pass(8 * DAY)
		await world.cron('* * * * *')
		root = { ...root, token: await world.logIn(root) }
		expect((await lift('operator')).ok.data.suspensionReasons).toEqual([])
		await world.cron('* * * * *')
		const [row] = await select<{ attempts: number; expiries: number; state: string }>(
			world,
			`select attempts, expiries, state from tasks where id = '${task.id}'`,
		)
		expect(row).toEqual({ attempts: 0, expiries: 0, state: 'queued' })
		await (await openMachine(world, { info: aFilm(4) }, 'later')).drain()
		const again = { ...ada, token: await world.logIn(ada) }
		expect((await studio.asset(assetId, again)).status).toBe('ready')
	})

	test('a suspension leaves the tasks of other organizations on their machines', async () => {
		const studio = openStudio(world, root)
		const machine = await openMachine(world, { info: aFilm(4) })
		const { assetId } = await studio.upload(root)
		await studio.start(assetId)
		const task = await machine.claim()
		await suspend('abuse')
		expect(await select(world, 'select state, epoch from tasks')).toEqual([
			{ state: 'running', epoch: task?.epoch },
		])
	})
})

test('a full suspension ends the streams of members at once', { tags: 'd1' }, async () => {
	const community = await openCommunity(world)
	const member = await community.member()
	const headers = { ...community.headers, authorization: `Bearer ${member.token}` }
	const open = () => world.fetch(new Request(`https://edge.test${streamNotifications.path}`, { headers }))
	const stream = await open()
	const reader = stream.body?.getReader()
	expect((await reader?.read())?.done).toBe(false)
	await suspend('abuse', community.orgId)
	await world.deliver()
	expect((await reader?.read())?.done).toBe(true)
	expect((await open()).status).toBe(403)
	// A message that comes late must not close the streams of an organization that is open again.
	await lift('abuse', community.orgId)
	const again = await open()
	const second = again.body?.getReader()
	expect((await second?.read())?.done).toBe(false)
	await second?.cancel()
})
