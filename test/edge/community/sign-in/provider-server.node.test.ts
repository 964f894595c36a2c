import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCommunity } from '#schema/contract/community/manage/communities.ts'
import { createIdentityProvider } from '#schema/contract/community/manage/identity-providers.ts'
import { replaceCommunityOrigins } from '#schema/contract/community/manage/origins.ts'
import { type Owner, signUp } from '../../../e2e/fleet/installation.ts'
import { CLIENT, ISSUER, openProvider } from '../../../support/shared/identity/open-provider.ts'
import { type RunningWorker, startWorker } from '../../../support/shared/miniflare-worker.ts'

const FRONT = 'https://club.example.org'
const VERIFIER = 'v'.repeat(43)

let server: Server
let worker: RunningWorker
let owner: Owner
let provider: Awaited<ReturnType<typeof openProvider>>
beforeAll(async () => {
	provider = await openProvider(Date.now)
	server = createServer(async (request, response) => {
		let body = ''
		for await (const part of request) body += part
		const init = {
			method: request.method ?? 'GET',
			headers: request.headers as Record<string, string>,
			...(body && { body }),
		}
		const answer = await provider.handle(`${ISSUER}${request.url}`, init)
		response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
	})
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
	const { port } = server.address() as AddressInfo
	worker = await startWorker({
		services: {
			// In place of the internet: every public address leads to the provider.
			PUBLIC_NETWORK: async (request) => {
				const { pathname } = new URL(request.url)
				const { method, headers } = request
				const body = method === 'POST' ? { body: await request.text() } : {}
				const answer = await fetch(`http://127.0.0.1:${port}${pathname}`, {
					...{ method, headers: Object.fromEntries(headers), ...body },
				})
				return new Response(await answer.text(), { status: answer.status })
			},
		},
	})
	owner = await signUp(() => worker.url)
})
afterAll(async () => {
	server?.close()
	await worker?.dispose()
})

const toLocal = (url: string) => url.replace(/^https?:\/\/[^/]+/, worker.url)

test('a complete installation signs a member in with a provider over HTTP', async () => {
	const { call } = owner.client()
	const made = await call(createCommunity, { body: { name: 'Club', slug: 'club' } })
	const params = { communityId: String(made.data.id) } as never
	await call(replaceCommunityOrigins, { params, body: { origins: [FRONT] } })
	const body = { label: 'School', issuer: ISSUER, ...CLIENT }
	const { id } = (await call(createIdentityProvider, { params, body })).data
	const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(VERIFIER))
	const challenge = Buffer.from(hash).toString('base64url')
	const query = new URLSearchParams({ return_to: `${FRONT}/`, code_challenge: challenge })
	const started = await fetch(`${worker.url}/api/headless/v1/sign_in/${id}?${query}`, { redirect: 'manual' })
	const back = await provider.authorize(started.headers.get('location') ?? '')
	const cookie = started.headers.get('set-cookie')?.split(';')[0] ?? ''
	const finished = await fetch(toLocal(back.href), { redirect: 'manual', headers: { cookie } })
	const returned = new URL(finished.headers.get('location') ?? '')
	expect([finished.status, returned.origin, returned.searchParams.get('error_description')]).toEqual([
		...[303, FRONT, null],
	])
	const exchanged = await fetch(`${worker.url}/api/headless/v1/sign_in/token`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ code: returned.searchParams.get('code'), code_verifier: VERIFIER }),
	})
	const { access_token: token } = (await exchanged.json()) as { access_token: string }
	const me = await fetch(`${worker.url}/api/headless/v1/community_member`, {
		headers: { authorization: `Bearer ${token}` },
	})
	expect(await me.json()).toMatchObject({ name: 'Ada' })
	expect(provider.seen).toEqual(['/.well-known/openid-configuration', '/token', '/keys'])
})
