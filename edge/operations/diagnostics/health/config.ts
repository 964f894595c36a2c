import type { z } from 'zod'
import { tiers } from '#schema/contract/accounts/tiers.ts'
import type { PublicConfig } from '#schema/contract/operations/health.ts'
import { MAX_DIRECT_BYTES, MAX_RESUMABLE_BYTES } from '#schema/contract/video/uploads.ts'
import { hasRecognizer } from '../../../ai/steps/engines.ts'
import type { Deps } from '../../../platform/deps.ts'
import { withTimeout } from '../../../platform/network/time-limit.ts'

const uploads = {
	resumableMaxBytes: MAX_RESUMABLE_BYTES,
	directMaxBytes: MAX_DIRECT_BYTES,
	/** Below 100 MB, the request limit of the smallest Cloudflare plans. */
	recommendedChunkBytes: 52_428_800,
}

/** Returns which features are configured. Public, so it never includes configuration values. */
export async function readPublicConfig(deps: Deps): Promise<z.input<typeof PublicConfig>> {
	const { env, mailer } = deps
	const { vars } = env
	const signing = vars.AUTH_SECRET !== undefined
	const hasEngine = await hasSpeechEngine(deps)
	return {
		aiAvailable: hasEngine,
		registration: {
			enabled: vars.REGISTRATION_ENABLED,
			allowedDomains: vars.REGISTRATION_ALLOWED_DOMAINS,
		},
		uploads,
		defaultTier: vars.DEFAULT_TIER,
		limits: tiers[vars.DEFAULT_TIER],
		features: {
			signing,
			mail: mailer.kind !== 'console',
			s3: Boolean(vars.S3_ENDPOINT && vars.S3_ACCESS_KEY_ID && vars.S3_SECRET_ACCESS_KEY),
			fleet: signing && vars.FLEET_TOKEN !== undefined,
			ai: hasEngine,
		},
	}
}

const DATABASE_MS = 2_000

/** Clients read the config also while the database does not respond; nothing is transcribed then. */
const hasSpeechEngine = (deps: Deps): Promise<boolean> =>
	withTimeout(DATABASE_MS, hasRecognizer(deps), () => new Error('the database does not respond')).catch(
		() => false,
	)
