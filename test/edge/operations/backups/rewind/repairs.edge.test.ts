import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { getMe } from '#schema/contract/accounts/identity.ts'
import { suspendOrg } from '#schema/contract/accounts/suspension.ts'
import { deleteWebhookEndpoint } from '#schema/contract/accounts/webhooks/endpoints.ts'
import { banMember } from '#schema/contract/community/member/moderation.ts'
import { setSupportAccess } from '#schema/contract/operations/admin/impersonation.ts'
import { demoteUser, lockUser, promoteUser } from '#schema/contract/operations/admin/users.ts'
import { evictMachine } from '#schema/contract/operations/diagnostics.ts'
import { listBackups, runBackup } from '#schema/contract/operations/installation/backups.ts'
import {
	createAsset,
	deleteAsset,
	restoreAsset,
	revokePlaybackTokens,
} from '#schema/contract/video/assets.ts'
import { uploadSource } from '#schema/contract/video/uploads.ts'
import { CHUNKS, manifestObjectKey } from '../../../../../edge/operations/backups/keys.ts'
import { DAY, MINUTE } from '../../../../../edge/platform/clock.ts'
import type { Person } from '../../../../support/edge/world.ts'
import { createEndpoint } from '../../../accounts/webhooks/receiver.ts'
import { insert, openCommunity } from '../../../community/community.ts'
import { openMachine } from '../../../video/transcoding/fake-machine.ts'
import { aFilm } from '../../../video/transcoding/sources.ts'
import { openStudio } from '../../../video/transcoding/transcoding-fixture.ts'
import { openRestoredWorld, type RestoredWorld } from './restored-world.ts'

let world: RestoredWorld
let root: Person
beforeEach(async () => {
	world = await openRestoredWorld()
	root = await world.person()
})

const upload = async (title: string) => {
	const { id } = (await world.ask(createAsset, { body: { title } }, root)).ok.data
	await world.ask(uploadSource, { params: { assetId: id } }, { ...root, bytes: title })
	return id
}
const sources = async () =>
	(await env.VAULT.list({ prefix: 'sources/' })).objects.map(({ key }) => key.split('/')[1])

/** Restores the backup under a new Worker, and repairs it. */
async function repair(restore: () => Promise<void>): Promise<void> {
	await restore()
	world.restart()
	expect((await world.ask(getMe, {}, root)).status).toBe(503)
	await world.minute()
	expect((await world.ask(getMe, {}, root)).status).toBe(401)
	root.token = await world.logIn(root)
}

test('a repair repeats what superadmins, owners and moderators revoked', async () => {
	const eve = await world.person()
	await world.ask(promoteUser, { params: { userId: String(eve.userId) } }, root)
	const bob = await world.person()
	const endpoint = await createEndpoint(world, root)
	const { id: assetId } = (await world.ask(createAsset, { body: { title: 'Film' } }, root)).ok.data
	const machine = await openMachine(world, { info: aFilm(12) })
	const community = await openCommunity(world)
	const member = await community.member()
	const restore = await world.backUp()
	await world.minute()

	const setSupport = (allowed: boolean) =>
		world.ask(setSupportAccess, { params: { orgId: root.orgId }, body: { allowed } }, root)
	await world.ask(deleteWebhookEndpoint, { params: { orgId: root.orgId, endpointId: endpoint.id } }, root)
	await world.ask(revokePlaybackTokens, { params: { assetId } }, root)
	await world.ask(demoteUser, { params: { userId: String(eve.userId) } }, root)
	await world.ask(lockUser, { params: { userId: String(bob.userId) } }, root)
	await world.ask(suspendOrg, { params: { orgId: bob.orgId }, body: { reason: 'abuse' } }, root)
	await world.ask(evictMachine, { params: { machineId: machine.id } }, root)
	await setSupport(false)
	const { memberId, headers } = member
	await world.ask(banMember, { params: { memberId: String(memberId) } }, { ...community.owner, headers })
	const [given] = await world.rows<{ v: number }>('select max(playback_token_version) as v from assets')
	await repair(restore)

	expect(await world.rows('select status, status_reason from webhook_endpoints')).toEqual([
		{ status: 'disabled', status_reason: expect.stringContaining('restored') },
	])
	const [next] = await world.rows<{ v: number }>('select max(playback_token_version) as v from assets')
	expect(next?.v).toBeGreaterThan(given?.v ?? 0)
	expect(
		await world.rows(
			`select id from users where is_superadmin = 0 and locked_at is null and id = ${eve.userId}`,
		),
	).toHaveLength(1)
	expect(await world.rows('select id from users where locked_at is not null')).toEqual([{ id: bob.userId }])
	expect(await world.rows('select id from orgs where suspended_at is not null')).toEqual([{ id: bob.orgId }])
	expect(await world.rows('select id from orgs where support_access = 0')).toEqual([{ id: root.orgId }])
	expect(await world.rows('select id from machines where evicted_at is not null')).toEqual([
		{ id: machine.id },
	])
	expect(await world.rows(`select status from memberships where id = ${memberId}`)).toEqual([
		{ status: 'banned' },
	])
})

test('a repair resumes the processing of a video under epochs that no machine had', async () => {
	const studio = openStudio(world, root)
	const { assetId } = await studio.upload()
	await studio.start(assetId)
	const restore = await world.backUp()
	await world.minute()
	const late = await openMachine(world, { info: aFilm(12) }, 'late')
	const held = await late.claim()
	if (!held) throw new Error('there is no task')
	await repair(restore)

	// The late machine is not known any more, and another one gets a later epoch.
	const { result } = await late.work(held)
	expect((await late.complete(held, result)).status).toBe(401)
	const machine = await openMachine(world, { info: aFilm(12) })
	const next = await machine.claim()
	expect(next?.id).toBe(held.id)
	expect(next?.epoch).toBeGreaterThan(held.epoch + 1)
	if (next) await machine.perform(next)
	await machine.drain()
	expect((await studio.asset(assetId)).status).toBe('ready')
})

test('a repair makes every subscription due for a comparison with Stripe', async () => {
	await world.rows(
		`insert into billing_accounts (org_id, reconcile_at, created_at) values ('${root.orgId}', ${world.now + DAY}, 0) returning 1`,
	)
	const restore = await world.backUp()
	await world.minute()
	await repair(restore)
	expect(await world.rows(`select org_id from billing_accounts where reconcile_at <= ${world.now}`)).toEqual([
		{ org_id: root.orgId },
	])
})

describe('stored files', () => {
	test('a repair deletes the files of lost videos after a week, and videos without files at once', async () => {
		const kept = await upload('Kept')
		const deleted = await upload('Deleted')
		const restore = await world.backUp()
		await world.minute()
		const lost = await upload('Lost')
		await world.ask(deleteAsset, { params: { assetId: deleted } }, root)
		await world.settle()
		await world.minute()
		await repair(restore)

		expect(await world.rows('select id from assets')).toEqual([{ id: kept }])
		await world.settle()
		expect((await sources()).toSorted()).toEqual([kept, lost].toSorted())
		world.pass(7 * DAY)
		await world.minute()
		await world.settle()
		expect(await sources()).toEqual([kept])
	})

	test('a repair repeats moves to the trash and back since the backup, and keeps the files of these assets', async () => {
		const [trashed, restored, stays, gone] = [
			await upload('Trashed'),
			await upload('Restored'),
			await upload('Stays'),
			await upload('Gone'),
		]
		const trash = (assetId: string) =>
			world.ask(deleteAsset, { params: { assetId }, query: { trash: 'true' } }, root)
		for (const id of [restored, stays, gone]) await trash(id)
		const restore = await world.backUp()
		await world.minute()
		await trash(trashed)
		await world.ask(restoreAsset, { params: { assetId: restored } }, root)
		await world.ask(deleteAsset, { params: { assetId: gone } }, root)
		await world.settle()
		await world.minute()
		await repair(restore)

		expect(await world.rows('select id from assets')).toEqual([{ id: restored }])
		expect(await world.rows('select id from trashed_assets order by id')).toEqual(
			[trashed, stays].toSorted().map((id) => ({ id })),
		)
		world.pass(7 * DAY)
		await world.minute()
		await world.settle()
		expect((await sources()).toSorted()).toEqual([trashed, restored, stays].toSorted())
	})

	test('a repair moves a video to the trash again although it was being processed at the time of the backup', async () => {
		const studio = openStudio(world, root)
		const { assetId } = await studio.upload()
		await studio.start(assetId)
		await world.settle()
		const of = { asset_id: assetId, org_id: root.orgId, version: 1, status: 'pending', updated_at: world.now }
		const run = { job_id: 'job_1', is_forced: 0, is_announced: 0, started_at: world.now }
		await insert(world, 'ai_steps', { ...of, ...run, step: 'chapters' })
		const translation = { language: 'de', source_language: 'en', source_key: 'key', due_at: world.now + DAY }
		await insert(world, 'subtitle_translations', { ...of, ...translation })
		const restore = await world.backUp()
		await world.minute()
		await world.rows("update jobs set status = 'failed' returning 1")
		await world.rows("update ai_steps set status = 'failed' returning 1")
		await world.rows('update subtitle_translations set due_at = null returning 1')
		const params = { assetId }
		expect((await world.ask(deleteAsset, { params, query: { trash: 'true' } }, root)).status).toBe(200)
		await world.settle()
		await world.minute()
		await repair(restore)

		expect(await world.rows('select id from assets')).toEqual([])
		expect(await world.rows('select id, status from trashed_assets')).toEqual([
			{ id: assetId, status: 'error' },
		])
		expect(await world.rows('select status from jobs')).toEqual([{ status: 'failed' }])
		expect(await world.rows('select status from ai_steps')).toEqual([{ status: 'skipped' }])
		expect(await world.rows('select status from subtitle_translations')).toEqual([{ status: 'failed' }])
		await world.ask(restoreAsset, { params }, root)
		expect((await studio.start(assetId)).status).toBe(200)
	})

	test('a repair lists the backups that the database lacks, and deletes what remains of others', async () => {
		const restore = await world.backUp()
		await world.minute()
		const run = async () => {
			const { id } = (await world.ask(runBackup, {}, root)).ok.data
			await world.settle()
			return id
		}
		const [made, deleted, unreadable] = [await run(), await run(), await run()]
		await env.VAULT.delete(manifestObjectKey(deleted))
		await env.VAULT.put(manifestObjectKey(unreadable), 'of another AUTH_SECRET')
		await repair(restore)
		expect((await world.ask(listBackups, { query: {} }, root)).ok.data.map(({ id }) => id)).toEqual([made])
		const chunks = async () =>
			(await env.VAULT.list({ prefix: CHUNKS })).objects.map(({ key }) => key.split('/')[2])
		expect(await chunks()).toEqual([made, deleted, unreadable].toSorted())
		world.pass(7 * DAY)
		await world.minute()
		await world.settle()
		expect(await chunks()).toEqual([made, unreadable].toSorted())
	})

	test('a repair processes a video again whose files belong to a lost job', async () => {
		const studio = openStudio(world, root)
		const { assetId } = await studio.upload()
		await studio.start(assetId)
		const before = await openMachine(world, { info: aFilm(12) }, 'before')
		await before.drain()
		await world.settle()
		expect((await studio.asset(assetId)).status).toBe('ready')
		const [first] = await world.rows<{ id: string }>('select id from jobs')
		const restore = await world.backUp()
		await world.minute()
		await studio.start(assetId)
		await before.drain()
		await world.settle()
		await world.minute()
		await world.settle()
		await repair(restore)

		const machine = await openMachine(world, { info: aFilm(12) })
		await machine.drain()
		expect((await studio.asset(assetId)).status).toBe('ready')
		const jobs = await world.rows<{ id: string }>('select id from jobs where published_version > 0')
		expect(jobs).toHaveLength(1)
		expect(jobs).not.toEqual([first])
	})
})

describe('the vault', () => {
	test('a repair changes nothing if the vault belongs to another installation', async () => {
		await upload('Film')
		const before = await (await env.VAULT.get('rewind/checkpoint.json'))?.text()
		const another = '9f0c6a52-6d4f-4a6e-8f43-0f3c1c6f8a11'
		const foreign = { ...JSON.parse(before ?? ''), installationId: another, nonce: 'another' }
		await env.VAULT.put('rewind/checkpoint.json', JSON.stringify(foreign))
		// Before the newest checkpoint of this database, which the other installation has counted on its own.
		const locked = await world.person()
		const revocation = { id: 'aud_lost', what: 'user.locked', orgId: null, targetId: null, details: {} }
		const stored = JSON.stringify([{ ...revocation, userId: locked.userId }])
		await env.VAULT.put('rewind/revocations/000000000000-early.json', stored)
		const state = await world.dump()
		world.restart()
		const refused = await world.ask(getMe, {}, root)
		expect([refused.status, refused.text]).toEqual([503, expect.stringContaining('another installation')])
		await expect(world.minute()).rejects.toThrow('1 scheduled tasks failed')
		expect(await world.dump()).toEqual(state)
		expect(await (await env.VAULT.get('rewind/checkpoint.json'))?.json()).toEqual(foreign)

		// An operator decides that the database belongs here: it is repaired, and no file is deleted.
		world.set({ ADOPT_VAULT: another })
		expect((await world.ask(getMe, {}, root)).status).toBe(503)
		await world.minute()
		expect((await world.ask(getMe, {}, root)).status).toBe(401)
		expect(await world.rows('select id from users where locked_at is not null')).toEqual([
			{ id: locked.userId },
		])
		world.pass(8 * DAY)
		await world.minute()
		await world.settle()
		expect(await sources()).toHaveLength(1)
		// It is a new installation: the vault of the database that it is a copy of is foreign to it.
		const adopted = JSON.parse((await (await env.VAULT.get('rewind/checkpoint.json'))?.text()) ?? '{}')
		expect([another, JSON.parse(before ?? '').installationId]).not.toContain(adopted.installationId)
	})

	test('a Worker that can’t read the vault at its start refuses requests until it can', async () => {
		const { VAULT } = world.bindings
		const failing = { get: async () => Promise.reject(new Error('the vault fails')) }
		world.set({ VAULT: failing as never })
		expect((await world.ask(getMe, {}, root)).status).toBe(503)
		world.set({ VAULT: VAULT as never })
		expect((await world.ask(getMe, {}, root)).status).toBe(200)
		const working = VAULT.get
		Object.assign(VAULT, { get: failing.get })
		try {
			world.pass(5 * MINUTE)
			expect((await world.ask(getMe, {}, root)).status).toBe(200)
		} finally {
			Object.assign(VAULT, { get: working })
		}
	})
})
