import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { replaceAllowedOrigins } from '#schema/contract/accounts/allowed-origins.ts'
import { signup } from '#schema/contract/accounts/identity.ts'
import { createCommunity } from '#schema/contract/community/manage/communities.ts'
import { replaceCommunityOrigins } from '#schema/contract/community/manage/origins.ts'
import { createClient } from '#schema/contract/kit/client.ts'
import { chromiumPath, openBrowser } from '../../../support/shared/chromium.ts'
import { type RunningWorker, startWorker } from '../../../support/shared/miniflare-worker.ts'
import { needs } from '../../../support/shared/needs.ts'
import { openFirefox } from '../../web/player/firefox.node.ts'

const firefoxPath = process.env.FIREFOX_PATH

/** Opens pages and runs expressions in them. */
type Opened = {
	visit(url: string): Promise<unknown>
	evaluate(expression: string): Promise<unknown>
	[Symbol.asyncDispose](): Promise<void>
}

async function openChromium(): Promise<Opened> {
	const browser = await openBrowser()
	const page = await browser.newPage()
	return {
		visit: (url) => page.goto(url),
		evaluate: (expression) => page.evaluate(expression),
		[Symbol.asyncDispose]: () => browser.close(),
	}
}

async function openFirefoxPage(): Promise<Opened> {
	const firefox = await openFirefox(firefoxPath as string)
	return {
		visit: firefox.open,
		evaluate: firefox.evaluate,
		[Symbol.asyncDispose]: () => firefox[Symbol.asyncDispose](),
	}
}

/** What a page does: a member’s call, a change of the organization, and a call without any credential. */
const calls = (api: string, token: string, communityId: string) => `
	(async () => {
		const headers = { authorization: 'Bearer ${token}', 'x-community-id': '${communityId}' }
		const asJson = { ...headers, 'content-type': 'application/json' }
		const status = (path, init) => fetch('${api}' + path, init).then(({ status }) => status, () => 'blocked')
		return {
			member: await status('/api/headless/v1/spaces', { headers }),
			organization: await status('/v1/assets', { method: 'POST', headers: asJson, body: '{"title":"Film"}' }),
			visitor: await status('/v1/config'),
		}
	})()`

describe('pages of three origins in browsers', () => {
	let worker: RunningWorker
	let sites: Server[]
	let [dashboard, frontEnd, stranger] = ['', '', '']
	let token = ''
	let communityId = ''

	beforeAll(async () => {
		worker = await startWorker({ vars: { ENVIRONMENT: 'production' } })
		sites = [0, 1, 2].map(() =>
			createServer((_, response) =>
				response.setHeader('content-type', 'text/html').end('<!doctype html><title>site</title>'),
			).listen(0, '127.0.0.1'),
		)
		const ports = await Promise.all(
			sites.map(async (site) => {
				await once(site, 'listening')
				return (site.address() as AddressInfo).port
			}),
		)
		;[dashboard = '', frontEnd = '', stranger = ''] = ports.map((port) => `http://127.0.0.1:${port}`)
		const client = (token?: string) => createClient({ baseUrl: worker.url, fetch, ...(token && { token }) })
		const body = { email: 'ada@example.org', password: 'correct horse battery', name: 'Ada' }
		token = (await client().call(signup, { body })).data.token
		const ada = client(token)
		const created = await ada.call(createCommunity, { body: { name: 'Club', slug: 'club' } })
		communityId = String(created.data.id)
		await ada.call(replaceAllowedOrigins, { body: { origins: [dashboard] } })
		await ada.call(replaceCommunityOrigins, { params: { communityId }, body: { origins: [frontEnd] } })
	})
	afterAll(async () => {
		for (const site of sites ?? []) site.close()
		await worker?.dispose()
	})

	async function expectRules(browser: Opened) {
		const run = async (origin: string) => {
			await browser.visit(origin)
			return browser.evaluate(calls(worker.url, token, communityId))
		}
		expect(await run(dashboard)).toEqual({ member: 200, organization: 201, visitor: 200 })
		expect(await run(frontEnd)).toEqual({ member: 200, organization: 'blocked', visitor: 200 })
		expect(await run(stranger)).toEqual({ member: 'blocked', organization: 'blocked', visitor: 200 })
	}

	test('Chromium lets each page call what its owner listed', needs({ Chromium: chromiumPath }), async () => {
		await using browser = await openChromium()
		await expectRules(browser)
	})

	// Run by npm run prove -- firefox, as machines that test changes have no Firefox.
	test(
		'Firefox lets each page call what its owner listed',
		needs({ FIREFOX_PATH: firefoxPath }),
		async () => {
			await using browser = await openFirefoxPage()
			await expectRules(browser)
		},
	)
})
