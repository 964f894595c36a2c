import { generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { beforeEach, expect, test } from 'vitest'
import { createIdentityProvider } from '#schema/contract/community/manage/identity-providers.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'
import { CLIENT, openProvider } from '../../../support/shared/identity/open-provider.ts'
import { type Community, openCommunity, select } from '../community.ts'
import { addProvider, openBrowser } from './browser.ts'

let world: World
let community: Community
let provider: Awaited<ReturnType<typeof openProvider>>
let providerId: number
beforeEach(async () => {
	provider = await openProvider(() => world.now)
	world = await openWorld({}, { fetchPublic: (url, init) => provider.handle(url, init) })
	community = await openCommunity(world)
	providerId = (await addProvider(world, community)).id
})

const browser = () => openBrowser(world, provider, providerId)
const countManaged = async () =>
	(await select(world, 'select 1 from users where managed_key is not null')).length
const encode = (value: object) => btoa(JSON.stringify(value)).replaceAll('=', '')

const seconds = () => Math.floor(world.now / 1_000)
const falseClaims: [string, () => JWTPayload][] = [
	['for another client', () => ({ aud: 'other' })],
	['for several clients without ours as the authorized one', () => ({ aud: [CLIENT.clientId, 'other'] })],
	['authorized for another client', () => ({ azp: 'other' })],
	['of another issuer', () => ({ iss: 'https://evil.example.org' })],
	['that has expired', () => ({ exp: seconds() - 60 })],
	['that was issued an hour ago', () => ({ iat: seconds() - 3_600 })],
	['of another sign-in', () => ({ nonce: 'another' })],
	['without a nonce', () => ({ nonce: undefined })],
	['without a subject', () => ({ sub: undefined as never })],
	['whose subject has control characters', () => ({ sub: 'ada\n' })],
]
test.each(falseClaims)('an ID token %s signs nobody in', async (_, claims) => {
	provider.claims = claims()
	expect(await browser().signIn()).toMatchObject({ error: 'server_error' })
	expect(await countManaged()).toBe(0)
})

const falseSignatures: [string, (claims: JWTPayload) => Promise<string> | string][] = [
	['without a signature', (claims) => `${encode({ alg: 'none' })}.${encode(claims)}.`],
	[
		'signed with the client secret',
		(claims) =>
			new SignJWT(claims)
				.setProtectedHeader({ alg: 'HS256' })
				.sign(new TextEncoder().encode(CLIENT.clientSecret)),
	],
	[
		'signed with a foreign key under a known name',
		async (claims) =>
			new SignJWT(claims)
				.setProtectedHeader({ alg: 'ES256', kid: 'key-1' })
				.sign((await generateKeyPair('ES256')).privateKey),
	],
]
test.each(falseSignatures)('an ID token %s signs nobody in', async (_, signWith) => {
	provider.signWith = signWith
	expect(await browser().signIn()).toMatchObject({ error: 'server_error' })
	expect(await countManaged()).toBe(0)
})

test('a sign-in of another browser, a repeated one and one after ten minutes are refused', async () => {
	const victim = browser()
	const attacker = browser()
	await victim.start()
	const { headers } = await attacker.start()
	const back = await provider.authorize(headers.get('location') ?? '')
	expect((await victim.finish(back)).status).toBe(400)
	expect((await browser().finish(back)).status).toBe(400)
	expect((await attacker.finish(back)).status).toBe(303)
	expect((await attacker.finish(back)).status).toBe(400)
	const slow = browser()
	const started = await slow.start()
	const late = await provider.authorize(started.headers.get('location') ?? '')
	world.pass(600_000)
	expect((await slow.finish(late)).status).toBe(400)
})

test('the state of one provider is worthless at another', async () => {
	const other = await addProvider(world, community, { label: 'Other' })
	const visitor = browser()
	const { headers } = await visitor.start()
	const back = await provider.authorize(headers.get('location') ?? '')
	const elsewhere = await world.fetch(
		new Request(`https://edge.test/api/headless/v1/sign_in/${other.id}/callback${back.search}`, {
			headers: { cookie: visitor.cookie },
		}),
	)
	expect(elsewhere.status).toBe(400)
})

test('a person who cancels at the provider returns to the front end with an error', async () => {
	const visitor = browser()
	const { headers } = await visitor.start()
	const back = await provider.authorize(headers.get('location') ?? '')
	back.searchParams.delete('code')
	back.searchParams.set('error', 'access_denied')
	const { headers: end } = await visitor.finish(back)
	expect(end.get('location')).toMatch(/^https:\/\/club\.example\.org\/welcome\?tab=1&error=access_denied&/)
})

test('an answer that names another issuer is refused', async () => {
	const visitor = browser()
	const { headers } = await visitor.start()
	const back = await provider.authorize(headers.get('location') ?? '')
	back.searchParams.set('iss', 'https://evil.example.org')
	expect((await visitor.finish(back)).headers.get('location')).toContain('error=server_error')
})

test('a provider that replaces its keys signs people in, and can’t cause a request for each token', async () => {
	await browser().signIn()
	world.pass(120_000)
	await provider.rotateKeys()
	expect(await browser().signIn()).toHaveProperty('code')
	await provider.rotateKeys()
	const before = provider.seen.filter((path) => path === '/keys').length
	for (let i = 0; i < 3; i++) expect(await browser().signIn()).toHaveProperty('error')
	expect(provider.seen.filter((path) => path === '/keys').length).toBe(before)
})

test('two sign-ins fetch the discovery document and the keys once', async () => {
	await browser().signIn()
	await browser().signIn()
	expect(provider.seen.filter((path) => path !== '/token').toSorted()).toEqual([
		'/.well-known/openid-configuration',
		'/keys',
	])
})

const metadata = 'http://169.254.169.254/latest'
const discoveries: [string, object, string][] = [
	['names another issuer', { issuer: 'https://evil.example.org' }, 'has another issuer'],
	['sends browsers to a private address', { authorization_endpoint: metadata }, 'authorization endpoint'],
	['sends browsers to a script', { authorization_endpoint: 'javascript:alert(1)' }, 'authorization endpoint'],
	['has no keys', { jwks_uri: undefined }, 'lacks a valid jwks_uri'],
]
test.each(discoveries)(
	'a sign-in does not start if the discovery document %s',
	async (_, discovery, problem) => {
		provider.discovery = discovery
		const { code, error } = await browser().start()
		expect([code, error]).toEqual(['not_configured', expect.stringContaining(problem)])
		expect(error).not.toContain('try again')
		// A rejected document is not cached.
		expect((await browser().start()).code).toBe('not_configured')
		provider.discovery = {}
		expect(await browser().signIn()).toHaveProperty('code')
	},
)

test.each(['token_endpoint', 'jwks_uri'])('a private address as %s is never requested', async (name) => {
	provider.discovery = { [name]: metadata }
	expect(await browser().signIn()).toMatchObject({ error: 'server_error' })
	expect(provider.seen).not.toContain('/latest')
})

const lasting = 'ask an owner'
const temporary = 'try again later'
const answers: [string, () => Response, string, string][] = [
	['a redirect to a metadata address', () => Response.redirect(metadata), 'returned 302', lasting],
	['ten megabytes', () => new Response(`"${'x'.repeat(10_000_000)}"`), 'returned more than', lasting],
	['no JSON', () => new Response('<html>'), 'returned no JSON', lasting],
	['an error', () => new Response(null, { status: 500 }), 'returned 500', temporary],
	[
		'nothing',
		() => {
			throw new Error('connection lost')
		},
		'did not answer',
		temporary,
	],
]
test.each(answers)(
	'a sign-in adds no member if the provider answers with %s',
	async (_, answer, problem, advice) => {
		// First, because a discovery document that was read is kept for an hour.
		provider.answers = new Map([['/.well-known/openid-configuration', answer]])
		const { code, error } = await browser().start()
		expect(code).toBe(advice === temporary ? 'unavailable' : 'not_configured')
		expect(error).toMatch(new RegExp(`^the discovery document of the provider ${problem}.*; ${advice}`))
		for (const path of ['/token', '/keys']) {
			provider.answers = new Map([[path, answer]])
			expect(await browser().signIn()).toMatchObject({
				error: 'server_error',
				error_description: expect.stringContaining(advice),
			})
		}
		expect(await countManaged()).toBe(0)
		expect(provider.seen).not.toContain('/latest')
	},
)

test.each([
	'http://id.example.org',
	'https://localhost',
	'https://169.254.169.254',
	'https://edge.test',
	'https://id.example.org?x=1',
])('the issuer %s is refused', async (issuer) => {
	world.set({ ALLOW_HTTP_URLS: 'false' })
	const params = { communityId: String(community.id) } as never
	const body = { label: 'L', issuer, ...CLIENT }
	const answer = await world.ask(createIdentityProvider, { params, body }, community.owner)
	expect(answer).toMatchObject({ status: 400, error: expect.stringMatching(/^issuer: /) })
})
