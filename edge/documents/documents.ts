import document from '#schema/openapi.json' with { type: 'json' }
import { AppError } from '../http/errors.ts'
import type { App } from '../http/hono-app.ts'
import { DAY, iso } from '../platform/clock.ts'
import type { Env } from '../platform/env.ts'
import { sha256 } from '../platform/tokens/digest.ts'

const landingPolicy =
	"default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const referencePolicy =
	"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const pagePolicy =
	"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const SECURITY_TXT = '/.well-known/security.txt'
/** RFC 9116 wants less than a year. */
const SECURITY_TXT_DAYS = 180

/** Pages that mails lead to: they sign people in by themselves, and are there in production too. */
const pages = ['/cancel-deletion', '/join']

/** The OpenAPI document, the page to read and try it with, the front door, and the other pages that are plain files. */
export function documentRoutes(app: App): void {
	app.get('/openapi.json', async (c) => {
		const { PUBLIC_URL } = c.get('deps').env.vars
		const { text, etag } = await documentAt(PUBLIC_URL ?? new URL(c.req.url).origin)
		const headers = {
			etag,
			'access-control-allow-origin': '*',
			'cache-control': 'public, max-age=300',
			'content-type': 'application/json',
		}
		return isKnown(c.req.header('if-none-match'), etag)
			? new Response(null, { status: 304, headers })
			: new Response(text, { headers })
	})

	app.get('/', async (c) => {
		const { env } = c.get('deps')
		const page = await assetAt('/landing/', c.req.raw, env.bindings.ASSETS, landingPolicy)
		return env.isProduction
			? new HTMLRewriter().on('[data-development]', { element: (link) => void link.remove() }).transform(page)
			: page
	})
	app.get('/landing/:file', (c) =>
		assetAt(c.req.path, c.req.raw, c.get('deps').env.bindings.ASSETS, landingPolicy),
	)

	for (const path of pages) {
		app.get(path, async (c) => {
			const { ASSETS } = c.get('deps').env.bindings
			const page = await assetAt(`${path}/`, c.req.raw, ASSETS, pagePolicy)
			// The address may hold what only its reader should have.
			page.headers.set('cache-control', 'no-store')
			return page
		})
	}
	for (const path of [...pages.map((page) => `${page}/:file`), '/shared/:file'])
		app.get(path, (c) => assetAt(c.req.path, c.req.raw, c.get('deps').env.bindings.ASSETS, pagePolicy))

	for (const path of ['/reference', '/reference/:file'])
		app.get(path, (c) => {
			const { env } = c.get('deps')
			if (env.isProduction) throw new AppError('not_found', 'not found')
			return assetAt(
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

	for (const path of ['/', '/openapi.json', SECURITY_TXT, ...pages])
		app.all(path, () => {
			throw new AppError('method_not_allowed', 'this address does not take that method', {
				headers: { allow: 'GET, HEAD' },
			})
		})
}

/** RFC 9116. The file never goes stale: it is written when it is asked for. */
function securityText({ vars }: Env, now: number): string {
	const day = now - (now % DAY)
	return [
		...vars.SECURITY_CONTACT.map((contact) => `Contact: ${contact}`),
		`Expires: ${iso(day + SECURITY_TXT_DAYS * DAY)}`,
		'Preferred-Languages: en',
		// Not as the caller spelt it: a Host header is anybody's to choose.
		...(vars.PUBLIC_URL ? [`Canonical: ${vars.PUBLIC_URL}${SECURITY_TXT}`] : []),
		'',
	].join('\n')
}

type Printed = { server: string; text: string; etag: string }
let printed: Printed | undefined

/** Most isolates are reached under one name, so only the last one is kept. */
async function documentAt(server: string): Promise<Printed> {
	if (printed?.server === server) return printed
	const text = JSON.stringify({ ...document, servers: [{ url: server }] })
	printed = { server, text, etag: `"${(await sha256(text)).slice(0, 22)}"` }
	return printed
}

const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
	ifNoneMatch?.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, ''))) ?? false

/** Anything but the file itself (a redirect, a page of the platform's own) is a 404 like every other. */
async function assetAt(
	path: string,
	request: Request,
	assets: Fetcher | undefined,
	policy: string,
): Promise<Response> {
	const { method, headers } = request
	const found = await assets?.fetch(new URL(path, request.url), { method, headers, redirect: 'manual' })
	if (found?.status !== 200 && found?.status !== 304) throw new AppError('not_found', 'not found')
	const response = new Response(found.body, found)
	response.headers.set('content-security-policy', policy)
	return response
}
