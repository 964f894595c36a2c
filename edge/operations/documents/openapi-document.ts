import contract from '#schema/openapi.json' with { type: 'json' }
import type { App } from '../../http/hono-app.ts'
import type { Deps } from '../../platform/deps.ts'
import { apiBase, apiBaseCacheScope } from '../../platform/env.ts'
import { acceptsGzip } from '../../platform/network/gzip.ts'
import { matchesEtag } from '../../platform/storage/http-conditions.ts'
import { sha256 } from '../../platform/tokens/digest.ts'
import { toYaml } from './yaml.ts'

const formats = {
	'/openapi.json': { type: 'application/json', print: JSON.stringify },
	'/openapi.yaml': { type: 'application/yaml', print: (value: object) => `${toYaml(value).trim()}\n` },
} as const
type OpenapiPath = keyof typeof formats
export const openapiPaths = Object.keys(formats) as OpenapiPath[]

/** `gzip` is made when the first client takes it. */
type Printed = { server: string; text: string; etag: string; gzip?: ArrayBuffer }
/** Only the last document in each format, because most isolates are reached under one host name. */
const printed = new Map<OpenapiPath, Printed>()

export function openapiRoutes(app: App): void {
	for (const path of openapiPaths) app.get(path, (c) => answerOpenapi(path, c.req.raw, c.get('deps')))
}

async function answerOpenapi(path: OpenapiPath, request: Request, { env }: Deps): Promise<Response> {
	const document = await documentAt(path, apiBase(env, request))
	const { text, etag } = document
	const isGzip = acceptsGzip(request)
	const headers = {
		etag: isGzip ? `"${etag}.gz"` : `"${etag}"`,
		vary: 'accept-encoding',
		'access-control-allow-origin': '*',
		'cache-control': `${apiBaseCacheScope(env)}, max-age=300`,
		'content-type': formats[path].type,
	}
	if (matchesEtag(request.headers.get('if-none-match') ?? '', headers.etag))
		return new Response(null, { status: 304, headers })
	if (!isGzip) return new Response(text, { headers })
	// The bytes are kept, not the promise, which other requests must not await.
	document.gzip ??= await gzip(text)
	return new Response(document.gzip, {
		headers: { ...headers, 'content-encoding': 'gzip' },
		encodeBody: 'manual',
	})
}

async function documentAt(path: OpenapiPath, server: string): Promise<Printed> {
	const known = printed.get(path)
	if (known?.server === server) return known
	const contact = { ...contract.info.contact, url: server }
	const info = { ...contract.info, contact }
	const text = formats[path].print({ ...contract, info, servers: [{ url: server }] })
	const entry: Printed = { server, text, etag: (await sha256(text)).slice(0, 22) }
	printed.set(path, entry)
	return entry
}

const gzip = (text: string): Promise<ArrayBuffer> =>
	new Response(new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))).arrayBuffer()
