import { createIdentityProvider } from '#schema/contract/community/manage/identity-providers.ts'
import { replaceCommunityOrigins } from '#schema/contract/community/manage/origins.ts'
import {
	exchangeSignInCode,
	finishMemberSignIn,
	startMemberSignIn,
} from '#schema/contract/community/member/sign-in.ts'
import { sha256 } from '../../../../edge/platform/tokens/digest.ts'
import type { World } from '../../../support/edge/world.ts'
import { CLIENT, ISSUER, type openProvider } from '../../../support/shared/identity/open-provider.ts'
import type { Community } from '../community.ts'

type Provider = Awaited<ReturnType<typeof openProvider>>

export const FRONT = 'https://club.example.org'
export const VERIFIER = 'v'.repeat(43)

/** Adds a provider to a community whose front end is at `FRONT`. */
export async function addProvider(world: World, community: Community, more: object = {}) {
	const params = { communityId: String(community.id) } as never
	await world.ask(replaceCommunityOrigins, { params, body: { origins: [FRONT] } }, community.owner)
	const body = { label: 'School login', issuer: ISSUER, ...CLIENT, ...more }
	return (await world.ask(createIdentityProvider, { params, body }, community.owner)).ok.data
}

/** A browser that follows the redirects of a sign-in one by one. */
export function openBrowser(world: World, provider: Provider, providerId: number) {
	const cookies = new Map<string, string>()
	const keepCookies = (headers: Headers) => {
		for (const cookie of headers.getSetCookie()) {
			const [, name = '', value = ''] = /^([^=]+)=([^;]*);/.exec(cookie) ?? []
			if (value === '') cookies.delete(name)
			else cookies.set(name, value)
		}
	}
	const cookie = () => [...cookies].map((pair) => pair.join('=')).join('; ')
	const params = { providerId: String(providerId) } as never
	const browser = {
		async start(returnTo = `${FRONT}/welcome?tab=1`) {
			const query = { return_to: returnTo, code_challenge: await sha256(VERIFIER) }
			const answer = await world.ask(startMemberSignIn, { params, query }, { headers: { cookie: cookie() } })
			keepCookies(answer.headers)
			return answer
		},
		async finish(back: URL) {
			const query = Object.fromEntries(back.searchParams) as never
			const answer = await world.ask(finishMemberSignIn, { params, query }, { headers: { cookie: cookie() } })
			keepCookies(answer.headers)
			return answer
		},
		/** Signs in, and returns what the query of the front end says. */
		async signIn() {
			const { headers } = await browser.start()
			const back = await provider.authorize(headers.get('location') ?? '')
			return readOutcome(await browser.finish(back))
		},
		get cookie() {
			return cookie()
		},
	}
	return browser
}

export const readOutcome = ({ headers }: { headers: Headers }) =>
	Object.fromEntries(new URL(headers.get('location') ?? 'https://missing.example').searchParams)

export const exchange = (world: World, code = '', verifier = VERIFIER) =>
	world.ask(exchangeSignInCode, { body: { code, code_verifier: verifier } })
