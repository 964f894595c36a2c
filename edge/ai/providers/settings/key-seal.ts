import { requireSecrets } from '../../../http/require-secrets.ts'
import type { Deps } from '../../../platform/deps.ts'
import type { StoredLink } from '../../../platform/tokens/link-token.ts'
import type { Purpose, Secrets } from '../../../platform/tokens/secrets.ts'

const PURPOSE: Purpose = 'ai-key'

/** The place of a key. A key copied elsewhere can't be decrypted. */
export type KeyPlace = { orgId: string; provider: string; purpose: string }

/** Returns the part of the context that does not depend on the sealing key. */
export const formatKeyPlace = ({ orgId, provider, purpose }: KeyPlace): string =>
	`${orgId}|${provider}|${purpose}`
const keyIdOf = (sealed: string): string => sealed.split('.')[1] ?? ''

async function seal(secrets: Secrets, key: string, place: string): Promise<string> {
	const keyId = keyIdOf(await secrets.sealPrefix())
	return secrets.seal(PURPOSE, key, `${place}|${keyId}`)
}

export const sealKey = (deps: Deps, key: string, place: KeyPlace): Promise<string> =>
	seal(requireSecrets(deps, 'keys of AI providers'), key, formatKeyPlace(place))

/** Returns null if the key was sealed under a secret that is no longer set. It must then be entered again. */
export async function openKey(
	{ secrets }: Pick<Deps, 'secrets'>,
	sealed: string,
	place: KeyPlace,
): Promise<string | null> {
	return secrets ? secrets.unseal(PURPOSE, sealed, `${formatKeyPlace(place)}|${keyIdOf(sealed)}`) : null
}

/** Seals a stored key under the current secret. Its `tokenHash` is the place. */
export async function resealKey(
	secrets: Secrets,
	{ sealed, tokenHash: place }: StoredLink,
): Promise<string | null> {
	const key = await secrets.unseal(PURPOSE, sealed, `${place}|${keyIdOf(sealed)}`)
	return key === null ? null : seal(secrets, key, place)
}
