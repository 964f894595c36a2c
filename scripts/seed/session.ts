import type { SignedIn } from '#schema/contract/accounts/identity.ts'
import { createClient } from '#schema/contract/kit/client.ts'

export type Client = ReturnType<typeof createClient<AbortSignal>>
export type Session = SignedIn & { client: Client; inCommunity(communityId: number): Client }

export function openSession(url: string, signedIn: SignedIn): Session {
	const clientWith = (headers: Record<string, string>) =>
		createClient<AbortSignal>({
			baseUrl: url,
			token: signedIn.token,
			fetch: (address, init) => fetch(address, { ...init, headers: { ...init.headers, ...headers } }),
		})
	return {
		...signedIn,
		client: clientWith({}),
		inCommunity: (communityId) => clientWith({ 'x-community-id': String(communityId) }),
	}
}

/** An error that the user can fix; printed in one line, without a stack. */
export class SeedError extends Error {
	override name = 'SeedError'
}
