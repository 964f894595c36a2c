import { once } from 'node:events'
import { request as ask, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signup } from '#schema/contract/accounts/identity.ts'
import { createCommunity } from '#schema/contract/community/manage/communities.ts'
import { checkCommunityDomain, getCommunityDomain } from '#schema/contract/community/manage/domains.ts'
import { getCurrentMember } from '#schema/contract/community/member/members.ts'
import { type ApiError, createClient } from '#schema/contract/kit/client.ts'
import { lookUpTxt } from '../../../../edge/platform/network/dns.ts'
import { type RunningWorker, startWorker } from '../../../support/shared/miniflare-worker.ts'

const DOMAIN = 'club.example.org'

let resolver: Awaited<ReturnType<typeof startResolver>>
let worker: RunningWorker
beforeAll(async () => {
	resolver = await startResolver()
	worker = await startWorker({ vars: { DNS_RESOLVER_URL: resolver.url } })
})
afterAll(async () => {
	await worker?.dispose()
	resolver.close()
})

/** Starts a fake DNS-over-HTTPS resolver (without TLS) with the JSON format of Cloudflare and Google. */
async function startResolver() {
	const zone = new Map<string, string[]>()
	let answer: ((name: string) => { status: number; body: string; location?: string }) | undefined
	const server = createServer((request, response) => {
		const url = new URL(request.url ?? '', 'http://resolver')
		const name = url.searchParams.get('name') ?? ''
		const isValidQuery =
			request.headers.accept === 'application/dns-json' && url.searchParams.get('type') === 'TXT'
		const odd = answer?.(name)
		if (odd) {
			response.writeHead(odd.status, odd.location ? { location: odd.location } : {}).end(odd.body)
			return
		}
		const records = zone.get(name)?.map((value) => ({ name, type: 16, TTL: 60, data: `"${value}"` }))
		const body = { Status: records ? 0 : 3, TC: false, Question: [{ name, type: 16 }], Answer: records }
		response
			.writeHead(isValidQuery ? 200 : 400, { 'content-type': 'application/dns-json' })
			.end(JSON.stringify(body))
	}).listen(0, '127.0.0.1')
	await once(server, 'listening')
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/dns-query`,
		zone,
		/** Replaces the answer to every query. */
		answerWith(newAnswer: typeof answer) {
			answer = newAnswer
		},
		close() {
			server.closeAllConnections()
			server.close()
		},
	}
}

/** Sends a request whose Host header differs from the host of the connection. */
async function read(
	path: string,
	token: string,
): Promise<{ status: number; body: { community?: { slug: string } } }> {
	const sent = ask(`${worker.url}${path}`, {
		headers: { host: DOMAIN, authorization: `Bearer ${token}` },
	}).end()
	const [response] = await once(sent, 'response')
	return { status: response.statusCode, body: JSON.parse(await text(response)) }
}

test('serves a community under its domain only after DNS contains its record', async () => {
	const call = (token?: string) => createClient({ baseUrl: worker.url, fetch, ...(token && { token }) })
	const join = async (email: string) =>
		(await call().call(signup, { body: { email, password: 'correct horse battery', name: 'A' } })).data.token
	const owner = call(await join('ada@example.org'))
	const otherOwner = await join('bo@example.org')
	const claim = { name: 'Club', slug: 'club', customDomain: DOMAIN }
	const created = await owner.call(createCommunity, { body: claim })
	await call(otherOwner).call(createCommunity, { body: { ...claim, slug: 'competitor' } })
	const at = { params: { communityId: String(created.data.id) } }
	const { record } = (await owner.call(getCommunityDomain, at)).data
	expect((await read(getCurrentMember.path, otherOwner)).body.community?.slug).toBe('competitor')
	resolver.zone.set(record.name, ['v=spf1 -all', record.value])
	expect((await owner.call(checkCommunityDomain, at)).data).toMatchObject({
		state: 'verified',
		problem: null,
	})
	expect((await read(getCurrentMember.path, otherOwner)).status).toBe(403)
	const refused = owner.call(checkCommunityDomain, at).catch((error: ApiError) => error.status)
	expect(await refused).toBe(429)
})

test.each([
	['an error', () => ({ status: 500, body: '' }), 'the resolver answered 500'],
	['no JSON', () => ({ status: 200, body: '<html>' }), 'the resolver could not be asked'],
	['other JSON', () => ({ status: 200, body: '{"ok":true}' }), 'the resolver answered something else'],
	['a DNS error code', () => ({ status: 200, body: '{"Status":2}' }), 'the resolver answered code 2'],
	['a redirect', () => ({ status: 302, body: '', location: resolver.url }), 'the resolver answered 302'],
	[
		'a body above the size limit',
		() => ({ status: 200, body: ' '.repeat(400_000) }),
		'the resolver answered too much',
	],
])('a DNS resolver that returns %s counts as a failed lookup', async (_, answer, reason) => {
	resolver.answerWith(answer)
	const env = { vars: { DNS_RESOLVER_URL: resolver.url } } as never
	const lookup = await lookUpTxt({ env, fetch: (url, init) => fetch(url, init) }, 'x.example')
	resolver.answerWith(undefined)
	expect(lookup).toEqual({ kind: 'failed', reason })
})

test('rejects a resolver without HTTPS in production', async () => {
	const env = { isProduction: true, vars: { DNS_RESOLVER_URL: 'http://resolver.example/dns-query' } } as never
	const unusedFetch = () => Promise.reject(new Error('unexpected fetch'))
	expect(await lookUpTxt({ env, fetch: unusedFetch }, 'x.example')).toMatchObject({
		reason: expect.stringContaining('https'),
	})
})

test('an unreachable DNS resolver counts as a failed lookup', async () => {
	const env = { vars: { DNS_RESOLVER_URL: 'http://127.0.0.1:1/dns-query' } } as never
	const lookup = await lookUpTxt({ env, fetch: (url, init) => fetch(url, init) }, 'x.example')
	expect(lookup).toEqual({ kind: 'failed', reason: 'the resolver could not be asked' })
})
