import { requireTokens } from '../../http/require-secrets.ts'
import { MINUTE } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { apiBase } from '../../platform/env.ts'
import { buildUrl } from '../../platform/network/header-values.ts'
import { imageToken } from '../../platform/tokens/tokens.ts'

/** For this long, an image has one URL, so that browsers can cache it. */
const CONSTANT_MS = 30 * MINUTE
const LIFE_MS = 60 * MINUTE

/** Returns the URL of an image for a caller who may see it. `isHidden` says that its post is hidden. */
export type SignImageUrl = (imageId: number, isHidden: boolean) => Promise<string>

export function imageUrlSigner(deps: Deps, request: Request, communityId: number): SignImageUrl {
	const tokens = requireTokens(deps, 'images')
	const start = Math.floor(deps.now / CONSTANT_MS) * CONSTANT_MS
	const base = apiBase(deps.env, request)
	return async (imageId, isHidden) => {
		const claims = { typ: 'community-image', sub: String(imageId), cid: communityId, hid: isHidden }
		const token = await tokens.sign(imageToken, claims, start, start + LIFE_MS)
		return buildUrl(base, ['api', 'headless', 'v1', 'images', String(imageId), 'file'], { token })
	}
}

/** Returns what the token in a URL allows; null if it is invalid, expired, or of another image. */
export async function readImageToken({ tokens, now }: Deps, imageId: number, token: string) {
	const claims = await tokens?.read(imageToken, token, now)
	return claims?.sub === imageId
		? { communityId: claims.cid, isHidden: claims.hid, expiresAt: claims.exp * 1000 }
		: null
}
