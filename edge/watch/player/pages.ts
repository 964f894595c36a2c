import { html } from 'hono/html'
import { AppError } from '../../http/errors.ts'
import type { App } from '../../http/hono-app.ts'
import type { Deps } from '../../platform/deps.ts'
import { formatLinkHeader } from '../../platform/network/header-values.ts'
import { listOtherVideos } from '../../video/assets/playable/public-videos.ts'
import { type Html, renderPlayerDocument } from './document.ts'
import { type PageContent, type PageRequest, readPageContent } from './page-content.ts'
import { renderFailure, renderPlayer } from './player-markup.ts'
import { buildPageHeaders } from './policy.ts'
import { readShareImage } from './sharing/share-image.ts'
import { readParagraphs } from './transcript.ts'
import { renderWatchPage } from './watch-page.ts'

/** The embed page, for frames on other sites. Search engines may index it only as part of the embedding page. */
function embedPage(content: PageContent): Html {
	const { page, size } = content
	const { video, messages } = page
	return renderPlayerDocument({
		...content,
		title: video?.title ?? messages.unavailable,
		head: html`<meta name="robots" content="noindex, indexifembedded">`,
		body: video ? renderPlayer(page, video, size) : renderFailure(page),
	})
}

const BUILT_FILE = /^\/player\/[a-z-]+-[A-Z0-9]{8}\.js$/

/** Its name has no hash, because pages of other sites refer to it. */
const EMBED_SCRIPT_LIFETIME = 'public, max-age=3600, stale-while-revalidate=86400'

const statuses = { unavailable: 404, expired: 403 } as const

/** Mounts the pages with the player, and the files that these pages load. */
export function mountPlayerPages(app: App): void {
	for (const kind of ['embed', 'watch'] as const)
		app.get(`/${kind}/:playbackId`, (c) =>
			answerPage(c.get('deps'), {
				kind,
				playbackId: c.req.param('playbackId'),
				request: c.req.raw,
				reportId: c.get('requestId'),
			}),
		)
	app.get('/player/:file', (c) => answerBuiltFile(c.get('deps'), c.req.raw))
	app.get('/embed.js', (c) =>
		answerScript(c.get('deps'), c.req.raw, '/player/embed.js', EMBED_SCRIPT_LIFETIME),
	)
	for (const path of ['/embed.js', '/embed/:playbackId', '/watch/:playbackId', '/player/:file'])
		app.all(path, () => {
			throw new AppError('method_not_allowed', 'this URL does not support this method', {
				headers: { allow: 'GET, HEAD' },
			})
		})
}

async function answerPage(deps: Deps, pageRequest: PageRequest): Promise<Response> {
	const content = await readPageContent(deps, pageRequest)
	const { page, row, nonce } = content
	const headers = new Headers(
		buildPageHeaders(nonce, row?.org.allowedEmbedDomains ?? [], deps.env.ownOrigins),
	)
	const posterPath = page.video?.posterPath
	if (posterPath)
		headers.set('link', formatLinkHeader(posterPath, { rel: 'preload', as: 'image', fetchpriority: 'high' }))
	const status = page.failure === null ? 200 : statuses[page.failure]
	return new Response(await printPage(deps, content), { status, headers })
}

async function printPage(deps: Deps, content: PageContent): Promise<Html> {
	const { page, row, base } = content
	if (page.kind === 'embed') return embedPage(content)
	if (!row) return renderWatchPage(content, { picture: null, paragraphs: [], others: [] })
	const [picture, paragraphs, others] = await Promise.all([
		readShareImage(deps, row, base),
		readParagraphs(deps, row),
		listOtherVideos(deps, row),
	])
	return renderWatchPage(content, { picture, paragraphs, others })
}

/** Serves a script with a hash in its name, so caches keep it. */
function answerBuiltFile(deps: Deps, request: Request): Promise<Response> {
	const { pathname } = new URL(request.url)
	if (!BUILT_FILE.test(pathname)) throw new AppError('not_found', 'not found')
	return answerScript(deps, request, pathname, 'public, max-age=31536000, immutable')
}

/** Serves a script to pages of any origin. Opaque origins and modules need CORS. */
async function answerScript(
	{ env }: Deps,
	{ url, method, headers }: Request,
	path: string,
	cacheControl: string,
): Promise<Response> {
	const init = { method, headers, redirect: 'manual' } as const
	const found = await env.bindings.ASSETS?.fetch(new URL(path, url), init)
	if (found?.status !== 200 && found?.status !== 304) throw new AppError('not_found', 'not found')
	const response = new Response(found.body, found)
	response.headers.set('cache-control', cacheControl)
	response.headers.set('access-control-allow-origin', '*')
	response.headers.set('cross-origin-resource-policy', 'cross-origin')
	return response
}
