import { requireSecrets } from '../../../http/require-secrets.ts'
import type { Deps } from '../../../platform/deps.ts'
import { fromBase64, toBase64 } from '../../../platform/tokens/digest.ts'
import type { LinkKind } from '../../../platform/tokens/link-token.ts'
import type { Secrets } from '../../../platform/tokens/secrets.ts'

/** Standard Webhooks recommends 24 to 64 bytes. */
const SECRET_BYTES = 32
const PREFIX = 'whsec_'

/** How signing secrets are sealed: the context is the id of the endpoint. */
export const webhookSecretSeal: LinkKind = {
	purpose: 'webhook-secret',
	mark: '',
	derivedFrom: (id) => id,
}

export const newWebhookSecret = (): string =>
	PREFIX + toBase64(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)))

export const sealWebhookSecret = (deps: Deps, secret: string, endpointId: string): Promise<string> =>
	requireSecrets(deps, 'webhooks').seal(webhookSecretSeal.purpose, secret, endpointId)

type SecretColumns = {
	id: string
	secret: string
	previousSecret: string | null
	previousSecretEndsAt: number | null
}

/** Returns the keys that sign a delivery: the current one, and the former one while receivers may still use it. */
export async function openSigningKeys(
	secrets: Secrets,
	{ id, secret, previousSecret, previousSecretEndsAt }: SecretColumns,
	now: number,
): Promise<Uint8Array<ArrayBuffer>[]> {
	const isPreviousValid = previousSecret !== null && (previousSecretEndsAt ?? 0) > now
	return Promise.all(
		[secret, ...(isPreviousValid ? [previousSecret] : [])].map(async (sealed) => {
			const opened = await secrets.unseal(webhookSecretSeal.purpose, sealed, id)
			if (opened === null)
				throw new Error(
					`the signing secret of ${id} can't be decrypted with AUTH_SECRET; set AUTH_SECRET_PREVIOUS`,
				)
			return fromBase64(opened.slice(PREFIX.length))
		}),
	)
}
