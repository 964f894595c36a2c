import document from '#schema/openapi.json' with { type: 'json' }
import type { App } from '../../http/hono-app.ts'
import type { Deps } from '../../platform/deps.ts'
import { apiBase, apiBaseCacheScope } from '../../platform/env.ts'
import { sha256 } from '../../platform/tokens/digest.ts'
import { toYaml } from './yaml.ts'

const formats = {
	'/openapi.json': { type: 'application/json', print: JSON.stringify },
	'/openapi.yaml': { type: 'application/yaml', print: (value: object) => `${toYaml(value).trim()}\n` },
} as const
type OpenapiPath = keyof typeof formats
export const openapiPaths = Object.keys(formats) as OpenapiPath[]

type Printed = { server: string; text: string; gzip: Promise<ArrayBuffer>; etag: string }
/** Only the last document in each format, because most isolates are reached under one host name. */
const printed = new Map<OpenapiPath, Printed>()

export function openapiRoutes(app: App): void {
	for (const path of openapiPaths) app.get(path, (c) => answerOpenapi(path, c.req.raw, c.get('deps')))
}

async function answerOpenapi(path: OpenapiPath, request: Request, { env }: Deps): Promise<Response> {
	const { text, gzip, etag } = await documentAt(path, apiBase(env, request))
	const isGzip = acceptsGzip(request.headers.get('accept-encoding'))
	const headers = {
		etag: isGzip ? `"${etag}.gz"` : `"${etag}"`,
		vary: 'accept-encoding',
		'access-control-allow-origin': '*',
		'cache-control': `${apiBaseCacheScope(env)}, max-age=300`,
		'content-type': formats[path].type,
	}
	if (matchesEtag(request.headers.get('if-none-match'), headers.etag))
		return new Response(null, { status: 304, headers })
	if (!isGzip) return new Response(text, { headers })
	return new Response(await gzip, {
		headers: { ...headers, 'content-encoding': 'gzip' },
		encodeBody: 'manual',
	})
}

async function documentAt(path: OpenapiPath, server: string): Promise<Printed> {
	const known = printed.get(path)
	if (known?.server === server) return known
	const text = formats[path].print({ ...document, servers: [{ url: server }] })
	const body = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))
	const gzip = new Response(body).arrayBuffer()
	const entry = { server, text, gzip, etag: (await sha256(text)).slice(0, 22) }
	printed.set(path, entry)
	return entry
}

const acceptsGzip = (header: string | null): boolean =>
	(header ?? '').split(',').some((each) => {
		const [coding = '', weight = ''] = each.split(';')
		return coding.trim().toLowerCase() === 'gzip' && !/^q=0(?:\.0{0,3})?$/.test(weight.trim())
	})

const matchesEtag = (ifNoneMatch: string | null, etag: string): boolean =>
	ifNoneMatch?.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, ''))) ?? false
