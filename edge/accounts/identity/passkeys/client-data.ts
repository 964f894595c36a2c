import { z } from 'zod'
import type { Deps } from '../../../platform/deps.ts'
import { fromBase64url } from '../../../platform/tokens/digest.ts'
import { type ChallengePurpose, readChallenge } from './challenge.ts'
import type { RelyingParty } from './relying-party.ts'

const ClientData = z.object({
	type: z.enum(['webauthn.create', 'webauthn.get']),
	challenge: z.string(),
	origin: z.string(),
	crossOrigin: z.boolean().optional(),
})

export type SignedChallenge = { challenge: string; expiresAt: number }

/** Returns the challenge that a page of the installation passed on, or null if anything is invalid. */
export async function checkClientData(
	deps: Deps,
	clientDataJSON: string,
	type: z.infer<typeof ClientData>['type'],
	purpose: ChallengePurpose,
	party: RelyingParty,
): Promise<SignedChallenge | null> {
	const data = read(clientDataJSON)
	if (!data || data.type !== type || data.crossOrigin || !party.origins.includes(data.origin)) return null
	const expiresAt = await readChallenge(deps, purpose, data.challenge)
	return expiresAt === null ? null : { challenge: data.challenge, expiresAt }
}

function read(clientDataJSON: string) {
	try {
		const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(
			fromBase64url(clientDataJSON),
		)
		return ClientData.safeParse(JSON.parse(text)).data ?? null
	} catch {
		return null
	}
}
