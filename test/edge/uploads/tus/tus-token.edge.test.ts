import { beforeEach, describe, expect, test } from 'vitest'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { openUpload, PART, type Upload } from './tus-fixture.ts'

let world: World
let ada: Person
let upload: Upload
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	upload = await openUpload(world, ada)
})

describe('the token', () => {
	const FIFTEEN = 15 * 60_000 + 31_000

	test('that has expired begins nothing, and goes on with what was begun', async () => {
		const location = await upload.begin(6)
		await upload.patch(location, 0, 'abc')
		world.pass(FIFTEEN)
		const refused = await upload.post({ 'upload-length': '6' })
		expect([refused.status, refused.headers.get('x-error-code')]).toEqual([401, 'unauthorized'])
		expect(await upload.offsetOf(location)).toBe(3)
		expect((await upload.patch(location, 3, 'def')).status).toBe(204)
		expect(await upload.status()).toBe('uploaded')
	})

	test('may be a newer one of the same asset', async () => {
		const location = await upload.begin(3)
		world.pass(FIFTEEN)
		const { token } = await upload.mint()
		expect((await upload.patch(location, 0, 'abc', { token })).status).toBe(204)
	})

	test('of another asset, of the same organization or another, knows nothing of the upload', async () => {
		const { location, record: before } = await upload.half()
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
			// Not even with the name of the other source.
			expect((await upload.post({ 'upload-length': '3' }, { token: other.token })).status).toBe(403)
		}
		expect(await upload.known()).toEqual(before)
		expect(await upload.offsetOf(location)).toBe(PART + 1)
	})

	test('requires an upload token and rejects other credentials', async () => {
		const location = await upload.begin(3)
		for (const token of ['', 'x', ada.token, `${upload.token}x`, `${upload.token.slice(0, -4)}AAAA`]) {
			expect((await upload.head(location, { token })).status).toBe(401)
			expect((await upload.patch(location, 0, 'abc', { token })).status).toBe(401)
			expect((await upload.post({ 'upload-length': '3' }, { token })).status).toBe(401)
		}
	})

	test('rejects upload tokens of a suspended organization', async () => {
		const location = await upload.begin(3)
		await world.deps((d) =>
			d.db.all(`update orgs set suspended_at = 1 where id = '${ada.orgId}' returning 1`),
		)
		const answer = await upload.patch(location, 0, 'abc')
		expect([answer.status, answer.headers.get('x-error-code')]).toEqual([403, 'org_suspended'])
		expect(await upload.source()).toBeNull()
	})

	test('is 501 where there is nothing to sign with, and where no object is bound', async () => {
		world.set({ UPLOADS: undefined as unknown as string })
		expect((await upload.post({ 'upload-length': '3' })).status).toBe(501)
		world.set({ AUTH_SECRET: '' })
		expect((await upload.post({ 'upload-length': '3' })).status).toBe(501)
	})
})
