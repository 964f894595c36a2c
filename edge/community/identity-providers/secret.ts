import { requireSecrets } from '../../http/require-secrets.ts'
import type { Deps } from '../../platform/deps.ts'
import type { LinkKind } from '../../platform/tokens/link-token.ts'
import type { IdentityProviderRow } from './store.ts'

/** How client secrets are sealed, for their rotation. */
export const clientSecretSeal: LinkKind = {
	purpose: 'identity-provider-secret',
	mark: '',
	derivedFrom: (id) => id,
}

type Place = Pick<IdentityProviderRow, 'communityId' | 'issuer' | 'clientId'>

/** Returns the context of a sealed secret, so that a row with another issuer can't have the secret sent there. */
export const formatSecretPlace = ({ communityId, issuer, clientId }: Place): string =>
	`${communityId}|${issuer}|${clientId}`

const FEATURE = 'identity providers'

export const sealClientSecret = (deps: Deps, secret: string, place: Place): Promise<string> =>
	requireSecrets(deps, FEATURE).seal(clientSecretSeal.purpose, secret, formatSecretPlace(place))

/** Returns null if the secret was sealed under a value of AUTH_SECRET that is no longer set. */
export const openClientSecret = (deps: Deps, row: Place & { clientSecret: string }): Promise<string | null> =>
	requireSecrets(deps, FEATURE).unseal(clientSecretSeal.purpose, row.clientSecret, formatSecretPlace(row))
