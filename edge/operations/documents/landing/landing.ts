import { AppError } from '../../../http/errors.ts'
import type { App } from '../../../http/hono-app.ts'
import type { Deps } from '../../../platform/deps.ts'
import { playerBase } from '../../../platform/env.ts'
import { isLoopback } from '../../../platform/network/this-machine.ts'
import { listPublicVideos } from '../../../video/assets/playable/public-videos.ts'
import { serveAsset } from '../asset.ts'
import { renderLandingPage } from './page.ts'

export const landingPolicy =
	"default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Mounts the start page, and the files that it loads. */
export function landingRoutes(app: App): void {
	app.get('/', async (c) => {
		const deps = c.get('deps')
		const { env } = deps
		// Without its style sheet, the page is not worth showing.
		if (!env.bindings.ASSETS) throw new AppError('not_found', 'not found')
		const videos = showsVideos(deps, c.req.raw) ? await listPublicVideos(deps) : null
		const page = renderLandingPage({
			videos,
			base: playerBase(env, c.req.raw),
			isProduction: env.isProduction,
		})
		return c.body(String(await page), 200, {
			'content-type': 'text/html; charset=utf-8',
			'content-security-policy': landingPolicy,
			'cache-control': 'private, no-cache',
		})
	})
	app.get('/landing/:file', (c) =>
		serveAsset(c.req.path, c.req.raw, c.get('deps').env.bindings.ASSETS, landingPolicy),
	)
}

/** The host of a community shows no videos of others. Only `PUBLIC_URL` says under which hosts people may open this page. */
function showsVideos({ env }: Deps, { url }: Request): boolean {
	const { hostname } = new URL(url)
	const { LANDING_VIDEOS, COMMUNITY_BASE_DOMAIN, PUBLIC_URL } = env.vars
	const isOwn = PUBLIC_URL
		? isLoopback(hostname) || env.ownOrigins.some((origin) => new URL(origin).hostname === hostname)
		: !COMMUNITY_BASE_DOMAIN || !hostname.endsWith(`.${COMMUNITY_BASE_DOMAIN}`)
	return LANDING_VIDEOS && isOwn
}
