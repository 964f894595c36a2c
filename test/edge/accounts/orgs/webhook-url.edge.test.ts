/** @module-tag d1 */
import { beforeEach, expect, test } from 'vitest'
import { updateOrg } from '#schema/contract/accounts/orgs.ts'
import { createAsset } from '#schema/contract/video/assets.ts'
import { importSource } from '#schema/contract/video/uploads.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'

let world: World
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
})

const setWebhook = (webhookUrl: string) =>
	world.ask(updateOrg, { params: { orgId: ada.orgId }, body: { webhookUrl } }, ada)

/** Returns the statuses of using a URL as a webhook and as the source of an import. */
async function statusesFor(url: string) {
	const { id: assetId } = (await world.ask(createAsset, { body: { title: 'Film' } }, ada)).ok.data
	const imported = await world.ask(importSource, { params: { assetId }, body: { sourceUrl: url } }, ada)
	return [(await setWebhook(url)).status, imported.status]
}

test('a webhook URL inside the network of the installation is rejected in every notation', async () => {
	for (const host of [
		'localhost',
		'localhost..',
		'127.0.0.1',
		'127.0.0.1.',
		'0x7f.1',
		'2130706433',
		'①②⑦.0.0.1',
		'10.0.0.8',
		'169.254.169.254',
		'192.168.1.1:8080',
		'[::1]',
		'[::ffff:10.0.0.1]',
		'[fe80::1]',
		'[fd00::1]',
		'metadata.google.internal',
		'printer',
		'user:secret@hooks.example.org',
		'hooks.example.org:22',
	])
		expect(await statusesFor(`https://${host}/hook`), host).toEqual([400, 400])
	expect(await statusesFor('https://hooks.example.org/hook')).toEqual([200, 200])
})

test('a webhook URL on a host of this installation is rejected, even with a trailing dot', async () => {
	world.set({
		PUBLIC_URL: 'https://video.example.org',
		FRONTEND_URL: 'https://www.example.net',
		PLAYER_URL: 'https://watch.example.net',
		COMMUNITY_BASE_DOMAIN: 'fixtures.example.com',
	})
	for (const host of [
		'edge.test',
		'video.example.org',
		'VIDEO.example.org.',
		'www.example.net:8443',
		'watch.example.net',
		'fixtures.example.com',
		'cats.fixtures.example.com..',
	])
		expect(await statusesFor(`https://${host}/hook`), host).toEqual([400, 400])
	expect(await statusesFor('https://notfixtures.example.com/')).toEqual([200, 200])
})

test('a webhook URL with plain http is rejected in production unless it is allowed', async () => {
	world.set({ ENVIRONMENT: 'production' })
	expect(await statusesFor('http://hooks.example.org/')).toEqual([400, 400])
	world.set({ ALLOW_HTTP_URLS: 'true' })
	expect(await statusesFor('http://hooks.example.org/')).toEqual([200, 200])
	world.set({ ENVIRONMENT: 'test', ALLOW_HTTP_URLS: 'false' })
	expect(await statusesFor('http://hooks.example.org/')).toEqual([400, 400])
})
