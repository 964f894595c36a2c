import { requireTokens } from '../../../http/require-secrets.ts'
import { HOUR, MINUTE, startOfHour } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { pictureToken, storyboardToken, videoToken } from '../../../platform/tokens/tokens.ts'
import { getAsset } from '../assets.ts'
import type { AssetRow } from '../store.ts'

type Versioned = Pick<AssetRow, 'playbackId' | 'playbackTokenVersion'>
type Signed = Versioned & Pick<AssetRow, 'visibility'>
const kinds = { v: videoToken, t: pictureToken, s: storyboardToken }
export type TokenAudience = keyof typeof kinds

/** Short, because a token can't be revoked with the impersonation that received it. */
const IMPERSONATED_MS = 10 * MINUTE

/** An impersonating superadmin receives no token that outlives the impersonation. */
const latestExpiry = ({ impersonation, now }: Deps): number =>
	impersonation ? Math.min(impersonation.expiresAt, now + IMPERSONATED_MS) : Number.POSITIVE_INFINITY

async function mintPlaybackToken(
	deps: Deps,
	{ playbackId: sub, playbackTokenVersion: tv }: Versioned,
	audience: TokenAudience,
	expiresAt: number,
): Promise<string> {
	return requireTokens(deps, 'playback tokens').sign(kinds[audience], { sub, tv }, deps.now, expiresAt)
}

export async function createPlaybackToken(
	deps: Deps,
	orgId: string,
	assetId: string,
	{ audience, lifeMs }: { audience: TokenAudience; lifeMs: number },
): Promise<{ token: string; expiresAt: number }> {
	const asset = await getAsset(deps, orgId, assetId)
	const expiresAt = deps.now + lifeMs
	return { token: await mintPlaybackToken(deps, asset, audience, expiresAt), expiresAt }
}

/** Checks whether a token grants this audience. A video token grants every audience. */
export async function isPlaybackToken(
	{ tokens, now }: Deps,
	asset: Versioned,
	audience: TokenAudience,
	token: string | undefined,
): Promise<boolean> {
	if (token === undefined || !tokens) return false
	const claims = await tokens.read(videoToken, token, now)
	const grant = claims ?? (audience === 'v' ? null : await tokens.read(kinds[audience], token, now))
	return grant?.sub === asset.playbackId && grant.tv === asset.playbackTokenVersion
}

/**
 * Returns the token for URLs in a response to a viewer. A valid token of the request is passed on, so that the URLs
 * expire with it.
 */
export const choosePassedToken = async (
	deps: Deps,
	asset: Signed,
	requestToken: string | undefined,
): Promise<string | null> =>
	asset.visibility === 'signed' && (await isPlaybackToken(deps, asset, 'v', requestToken))
		? (requestToken ?? null)
		: mintHourlyToken(deps, asset, 'v')

/**
 * Returns a token for URLs in a response to a caller who may see the asset. Constant for an hour, so that caches stay
 * effective.
 */
export async function mintHourlyToken(
	deps: Deps,
	asset: Signed,
	audience: TokenAudience,
): Promise<string | null> {
	if (asset.visibility !== 'signed' || !deps.tokens) return null
	const hour = startOfHour(deps.now)
	return mintPlaybackToken(
		{ ...deps, now: hour },
		asset,
		audience,
		Math.min(hour + 2 * HOUR, latestExpiry(deps)),
	)
}
