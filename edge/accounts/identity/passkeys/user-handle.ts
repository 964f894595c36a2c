import type { Deps } from '../../../platform/deps.ts'
import { computeLastingHmac } from '../../../platform/tokens/data-keys.ts'
import { requireSigning } from '../signing.ts'

/** Returns an opaque, permanent id of a user for authenticators, in base64url. */
export const deriveUserHandle = (deps: Deps, userId: number): Promise<string> =>
	computeLastingHmac(
		{ db: deps.db, secrets: requireSigning(deps).secrets, now: deps.now },
		'passkey-user',
		String(userId),
	)
