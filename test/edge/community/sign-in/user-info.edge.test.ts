import { beforeEach, expect, test } from 'vitest'
import { openWorld, type World } from '../../../support/edge/world.ts'
import { ISSUER, openProvider } from '../../../support/shared/identity/open-provider.ts'
import { openCommunity, select } from '../community.ts'
import { addProvider, openBrowser } from './browser.ts'

let world: World
let provider: Awaited<ReturnType<typeof openProvider>>
let signIn: () => Promise<Record<string, string>>
beforeEach(async () => {
	provider = await openProvider(() => world.now)
	provider.discovery = { userinfo_endpoint: `${ISSUER}/userinfo` }
	provider.userInfo = { sub: 'ada', name: 'Ada Info', email: 'info@example.org', email_verified: true }
	world = await openWorld({}, { fetchPublic: (url, init) => provider.handle(url, init) })
	const { id } = await addProvider(world, await openCommunity(world))
	signIn = () => openBrowser(world, provider, id).signIn()
})

const people = () =>
	select<object>(
		world,
		'select u.name, m.email from memberships m join users u on u.id = m.user_id where u.managed_key is not null',
	)
const countRequests = () => provider.seen.filter((path) => path === '/userinfo').length

test('the first sign-in reads a name and address that the ID token lacks from the userinfo endpoint', async () => {
	provider.person = { sub: 'ada' }
	expect(await signIn()).toHaveProperty('code')
	expect(await people()).toEqual([{ name: 'Ada Info', email: 'info@example.org' }])
	expect(await signIn()).toHaveProperty('code')
	expect(countRequests()).toBe(1)
})

test('a sign-in calls the userinfo endpoint only for missing claims, and never to verify the address of the ID token', async () => {
	expect(await signIn()).toHaveProperty('code')
	expect(countRequests()).toBe(0)
	provider.person = { sub: 'bo', email: 'bo@example.org' }
	provider.userInfo = { sub: 'bo', name: 'Bo', email: 'other@example.org', email_verified: true }
	expect(await signIn()).toHaveProperty('code')
	expect(await people()).toEqual([
		{ name: 'Ada', email: 'ada@example.org' },
		{ name: 'Bo', email: null },
	])
})

const refused: [string, () => void][] = [
	[
		'names another person',
		() => {
			provider.userInfo = { sub: 'eve', name: 'Eve' }
		},
	],
	[
		'names nobody',
		() => {
			provider.userInfo = { name: 'Eve' }
		},
	],
	['fails for a moment', () => provider.answers.set('/userinfo', () => new Response(null, { status: 503 }))],
]
test.each(refused)('a sign-in adds no member if the userinfo endpoint %s', async (_, falsify) => {
	provider.person = { sub: 'ada' }
	falsify()
	expect(await signIn()).toMatchObject({ error: 'server_error' })
	expect(await people()).toEqual([])
	expect(provider.seen).not.toContain('/latest')
})

const failing: [string, () => void][] = [
	[
		'returns ten megabytes',
		() => provider.answers.set('/userinfo', () => new Response(`"${'x'.repeat(10_000_000)}"`)),
	],
	[
		'is at a private address',
		() => {
			provider.discovery = { userinfo_endpoint: 'http://169.254.169.254/latest' }
		},
	],
	['refuses the request', () => provider.answers.set('/userinfo', () => new Response(null, { status: 403 }))],
	['returns a signed document', () => provider.answers.set('/userinfo', () => new Response('eyJhbGciOi'))],
	[
		'gets no usable token',
		() => {
			provider.accessToken = ''
		},
	],
]
test.each(failing)('a person signs in without an address if the userinfo endpoint %s', async (_, falsify) => {
	provider.person = { sub: 'ada' }
	falsify()
	expect(await signIn()).toHaveProperty('code')
	expect(await people()).toEqual([{ name: 'Member', email: null }])
	expect(provider.seen).not.toContain('/latest')
})
