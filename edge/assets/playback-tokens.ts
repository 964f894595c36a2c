import { AppError } from '../http/errors.ts'
import { HOUR } from '../platform/clock.ts'
import type { Deps } from '../platform/deps.ts'
import { pictureToken, storyboardToken, videoToken } from '../platform/tokens.ts'
import type { AssetRow } from './store.ts'

type Versioned = Pick<AssetRow, 'playbackId' | 'playbackTokenVersion'>
type Signed = Versioned & Pick<AssetRow, 'visibility'>
const kinds = { v: videoToken, t: pictureToken, s: storyboardToken }
export type TokenAudience = keyof typeof kinds

export async function mintPlaybackToken(
	{ tokens, now }: Deps,
	{ playbackId: sub, playbackTokenVersion: tv }: Versioned,
	audience: TokenAudience,
	expiresAt: number,
): Promise<string> {
	if (!tokens) throw new AppError('not_configured', 'playback tokens are not set up: AUTH_SECRET is missing')
	return tokens.sign(kinds[audience], { sub, tv }, now, expiresAt)
}

/** Whether a token opens this part of the asset. One for the video opens all of it. */
export async function isPlaybackToken(
	{ tokens, now }: Deps,
	asset: Versioned,
	audience: TokenAudience,
	token: string | undefined,
): Promise<boolean> {
	if (token === undefined || !tokens) return false
	const claims = await tokens.read(videoToken, token, now)
	const either = claims ?? (audience === 'v' ? null : await tokens.read(kinds[audience], token, now))
	return either?.sub === asset.playbackId && either.tv === asset.playbackTokenVersion
}

/** For addresses in the answer to a viewer: the token that was shown, if it verifies, so that they end when it does. */
export const onwardToken = async (
	deps: Deps,
	asset: Signed,
	shown: string | undefined,
): Promise<string | null> =>
	asset.visibility === 'signed' && (await isPlaybackToken(deps, asset, 'v', shown))
		? (shown ?? null)
		: ownToken(deps, asset, 'v')

/** For addresses in answers to those who may see the asset. The same for an hour, so that what it leads to is kept. */
export async function ownToken(deps: Deps, asset: Signed, audience: TokenAudience): Promise<string | null> {
	if (asset.visibility !== 'signed' || !deps.tokens) return null
	const hour = Math.floor(deps.now / HOUR) * HOUR
	return mintPlaybackToken({ ...deps, now: hour }, asset, audience, hour + 2 * HOUR)
}
