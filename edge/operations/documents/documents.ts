import { AppError } from '../../http/errors.ts'
import type { App } from '../../http/hono-app.ts'
import { DAY, toIso } from '../../platform/clock.ts'
import type { Env } from '../../platform/env.ts'
import { serveAsset } from './asset.ts'
import { cardPagePaths, cardPageRoutes } from './card-pages.ts'
import { landingPolicy, landingRoutes } from './landing/landing.ts'
import { openapiPaths, openapiRoutes } from './openapi-document.ts'

const referencePolicy =
	"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const SECURITY_TXT = '/.well-known/security.txt'
const FAVICON = '/favicon.ico'
const ROBOTS_TXT = '/robots.txt'
/** Pages of videos may be found. A renderer needs their files and playback records, too. */
const robotsText = 'User-agent: *\nDisallow: /v1/\nAllow: /v1/playback/\nDisallow: /api/\n'
const noRobotsText = 'User-agent: *\nDisallow: /\n'
/** RFC 9116 recommends less than a year. */
const SECURITY_TXT_DAYS = 180

/** Mounts the OpenAPI document, its reference page, the landing page and the other static pages. */
export function documentRoutes(app: App): void {
	openapiRoutes(app)

	landingRoutes(app)

	// Browsers ask for it on pages without an icon of their own, such as JSON.
	app.get(FAVICON, (c) =>
		serveAsset('/landing/favicon.ico', c.req.raw, c.get('deps').env.bindings.ASSETS, landingPolicy),
	)
	app.get(ROBOTS_TXT, (c) => {
		const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'public, max-age=86400' }
		return new Response(c.get('deps').env.isProduction ? robotsText : noRobotsText, { headers })
	})

	cardPageRoutes(app)

	for (const path of ['/reference', '/reference/:file'])
		app.get(path, (c) => {
			const { env } = c.get('deps')
			if (env.isProduction) throw new AppError('not_found', 'not found')
			return serveAsset(
				path === '/reference' ? '/reference/' : c.req.path,
				c.req.raw,
				env.bindings.ASSETS,
				referencePolicy,
			)
		})

	app.get(SECURITY_TXT, (c) => {
		const { env, now } = c.get('deps')
		if (env.vars.SECURITY_CONTACT.length === 0) throw new AppError('not_found', 'not found')
		const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'public, max-age=86400' }
		return new Response(securityText(env, now), { headers })
	})

	for (const path of ['/', ...openapiPaths, SECURITY_TXT, FAVICON, ROBOTS_TXT, ...cardPagePaths])
		app.all(path, () => {
			throw new AppError('method_not_allowed', 'this URL does not support this method', {
				headers: { allow: 'GET, HEAD' },
			})
		})
}

/** Returns the security.txt of RFC 9116, written for each request so that it never expires. */
function securityText({ vars }: Env, now: number): string {
	const day = now - (now % DAY)
	return [
		...vars.SECURITY_CONTACT.map((contact) => `Contact: ${contact}`),
		`Expires: ${toIso(day + SECURITY_TXT_DAYS * DAY)}`,
		'Preferred-Languages: en',
		// The Host header can't be used here, because the caller chooses it.
		...(vars.PUBLIC_URL ? [`Canonical: ${vars.PUBLIC_URL}${SECURITY_TXT}`] : []),
		'',
	].join('\n')
}
