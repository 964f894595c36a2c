/** @module-tag d1 */
import { beforeEach, describe, expect, test } from 'vitest'
import { createApiKey, deleteApiKey } from '#schema/contract/accounts/api-keys.ts'
import { switchOrg } from '#schema/contract/accounts/identity.ts'
import { acceptInvitation, inviteMember, removeMember } from '#schema/contract/accounts/org-members.ts'
import { lockUser } from '#schema/contract/operations/admin/users.ts'
import { createUploadToken } from '#schema/contract/video/uploads.ts'
import { invitationTokenIn } from '../../../../support/edge/mailbox.ts'
import { openWorld, type Person, type World } from '../../../../support/edge/world.ts'
import { openUpload, PART, type Upload } from './tus-fixture.ts'

let world: World
let ada: Person
let upload: Upload
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	upload = await openUpload(world, ada)
})

/** Adds a person to an organization. Their token is scoped to it from now on. */
async function join(owner: Person, who: Person): Promise<void> {
	const { orgId } = owner
	await world.ask(inviteMember, { params: { orgId }, body: { email: who.email, role: 'member' } }, owner)
	await world.ask(acceptInvitation, { body: { token: await invitationTokenIn(world) } }, who)
	who.token = (await world.ask(switchOrg, { body: { orgId } }, who)).ok.data.token
}

describe('an upload token', () => {
	const EXPIRY_MS = 15 * 60_000 + 31_000

	test('an expired upload token resumes an upload but starts none', async () => {
		const location = await upload.begin(6)
		await upload.patch(location, 0, 'abc')
		world.pass(EXPIRY_MS)
		const rejected = await upload.post({ 'upload-length': '6' })
		expect([rejected.status, rejected.headers.get('x-error-code')]).toEqual([401, 'unauthorized'])
		expect(await upload.readOffset(location)).toBe(3)
		expect((await upload.patch(location, 3, 'def')).status).toBe(204)
		expect(await upload.status()).toBe('uploaded')
	})

	test('a newer upload token of the same asset may continue an upload', async () => {
		const location = await upload.begin(3)
		world.pass(EXPIRY_MS)
		const { token } = await upload.mint()
		expect((await upload.patch(location, 0, 'abc', { token })).status).toBe(204)
	})

	test('an upload token gives no access to the upload of another asset', async () => {
		const { location, record: before } = await upload.beginPartial()
		const bo = await world.person()
		for (const other of [await openUpload(world, ada), await openUpload(world, bo)]) {
			const answers = [
				await upload.head(location, { token: other.token }),
				await upload.patch(location, PART + 1, 'x', { token: other.token }),
				await upload.remove(location, { token: other.token }),
			]
			expect(answers.map((a) => [a.status, a.headers.get('upload-offset')])).toEqual(
				Array(3).fill([404, null]),
			)
			// The metadata names the source of the other asset.
			expect((await upload.post({ 'upload-length': '3' }, { token: other.token })).status).toBe(403)
		}
		expect(await upload.requireRecord()).toEqual(before)
		expect(await upload.readOffset(location)).toBe(PART + 1)
	})

	test('an upload requires its upload token; other credentials are rejected', async () => {
		const location = await upload.begin(3)
		for (const token of ['', 'x', ada.token, `${upload.token}x`, `${upload.token.slice(0, -4)}AAAA`]) {
			expect((await upload.head(location, { token })).status).toBe(401)
			expect((await upload.patch(location, 0, 'abc', { token })).status).toBe(401)
			expect((await upload.post({ 'upload-length': '3' }, { token })).status).toBe(401)
		}
	})

	test('an upload token is rejected when its organization is suspended', async () => {
		const location = await upload.begin(3)
		await world.deps((d) =>
			d.db.all(`update orgs set suspended_at = 1 where id = '${ada.orgId}' returning 1`),
		)
		const answer = await upload.patch(location, 0, 'abc')
		expect([answer.status, answer.headers.get('x-error-code')]).toEqual([403, 'org_suspended'])
		expect(await upload.source()).toBeNull()
	})

	test.each<[string, (bo: Person) => Promise<unknown>]>([
		[
			'who requested it is locked',
			(bo) => world.ask(lockUser, { params: { userId: String(bo.userId) } }, ada),
		],
		[
			'who requested it is removed from the organization',
			(bo) => world.ask(removeMember, { params: { orgId: ada.orgId, userId: String(bo.userId) } }, ada),
		],
	])('an upload token is rejected at the next request once %s', async (_, end) => {
		const bo = await world.person()
		await join(ada, bo)
		const theirs = await openUpload(world, bo)
		const location = await theirs.begin(6)
		expect((await theirs.patch(location, 0, 'abc')).status).toBe(204)
		await end(bo)
		expect((await theirs.patch(location, 3, 'def')).status).toBe(401)
		expect((await theirs.post({ 'upload-length': '6' })).status).toBe(401)
		expect(await theirs.source()).toBeNull()
	})

	test('an upload token is rejected once the API key that requested it is deleted', async () => {
		const { orgId } = ada
		const body = { name: 'program', scopes: ['write' as const] }
		const { id, key } = (await world.ask(createApiKey, { params: { orgId }, body }, ada)).ok.data
		const { token } = (
			await world.ask(
				createUploadToken,
				{ params: { assetId: upload.assetId }, body: { fileSize: 3 } },
				{ key },
			)
		).ok.data
		const location = await upload.begin(3, { token })
		await world.ask(deleteApiKey, { params: { orgId, keyId: id } }, ada)
		expect((await upload.patch(location, 0, 'abc', { token })).status).toBe(401)
		expect((await upload.patch(location, 0, 'abc')).status).toBe(204)
	})

	test('an upload with a token returns 501 without AUTH_SECRET or without the UPLOADS binding', async () => {
		world.set({ UPLOADS: undefined as unknown as string })
		expect((await upload.post({ 'upload-length': '3' })).status).toBe(501)
		world.set({ AUTH_SECRET: '' })
		expect((await upload.post({ 'upload-length': '3' })).status).toBe(501)
	})
})
