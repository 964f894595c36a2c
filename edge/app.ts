import { Hono } from 'hono'
import { healthLive } from '#schema/contract/health.ts'
import type { Operation } from '#schema/contract/operation.ts'
import { statusOf } from '#schema/contract/problem.ts'
import { accountDeletionRoutes } from './account-deletion/routes.ts'
import { assetRoutes } from './assets/routes.ts'
import { browserReportRoutes } from './browser-reports/routes.ts'
import { collectionRoutes } from './collections/routes.ts'
import { memberDoor } from './community/access/door.ts'
import { communityRoutes } from './community/routes.ts'
import { machineDoor } from './diagnostics/machine-door.ts'
import { diagnosticsRoutes } from './diagnostics/routes.ts'
import { documentRoutes } from './documents.ts'
import { answerLive } from './health/live.ts'
import { healthRoutes } from './health/routes.ts'
import type { Doors } from './http/caller.ts'
import { applyCors, preflight } from './http/cors.ts'
import { AppError, errorResponse } from './http/errors.ts'
import { requestIdOf, secure } from './http/headers.ts'
import type { Route } from './http/route.ts'
import { personDoor } from './identity/doors.ts'
import { identityRoutes } from './identity/routes.ts'
import { mailRoutes } from './mail/routes.ts'
import { keyDoor } from './orgs/key-door.ts'
import { orgRoutes } from './orgs/routes.ts'
import { isDatabaseUnavailable } from './platform/database-unavailable.ts'
import { buildDeps, type Deps, type Outside } from './platform/deps.ts'
import { type Bindings, MisconfiguredError, parseEnv } from './platform/env.ts'
import { consoleLog } from './platform/log.ts'
import { StorageNotConfiguredError } from './platform/storage-errors.ts'
import { downloadRoutes } from './playback/download-routes.ts'
import { answerMedia, MEDIA_PATH } from './playback/media.ts'
import { playbackRoutes } from './playback/routes.ts'
import { viewerRoutes } from './playback/viewer-routes.ts'
import { secretRotationRoutes } from './secret-rotation/routes.ts'
import { settingsRoutes } from './settings/routes.ts'
import { statsRoutes } from './stats/routes.ts'
import { STORAGE_DOOR_PATH, s3Door } from './storage-door/door.ts'
import { transcodingRoutes } from './transcoding/routes.ts'
import { uploadRoutes } from './uploads/routes.ts'
import { uploadDoor } from './uploads/tus/door.ts'
import { asOverridden, rounded, TUS_PATH } from './uploads/tus/protocol.ts'
import { tusRoutes } from './uploads/tus/routes.ts'

/** Every feature's routes. A feature that is not here is not served. */
export const allRoutes: readonly Route[] = [
	...healthRoutes,
	...browserReportRoutes,
	...identityRoutes,
	...orgRoutes,
	...mailRoutes,
	...settingsRoutes,
	...assetRoutes,
	...uploadRoutes,
	...transcodingRoutes,
	...tusRoutes,
	...collectionRoutes,
	...playbackRoutes,
	...downloadRoutes,
	...viewerRoutes,
	...communityRoutes,
	...diagnosticsRoutes,
	...statsRoutes,
	...accountDeletionRoutes,
	...secretRotationRoutes,
]

const doors: Doors = {
	person: personDoor,
	key: keyDoor,
	machine: machineDoor,
	member: memberDoor,
	upload: uploadDoor,
}

type Variables = { deps: Deps; op?: Operation }
export type App = Hono<{ Bindings: Bindings; Variables: Variables }>

/** A path that ends with a slash is taken without it as well. */
function patternsOf({ path }: Operation): string[] {
	const pattern = path.replaceAll(/\{(\w+)\}/g, ':$1')
	return pattern.endsWith('/') ? [pattern, pattern.slice(0, -1)] : [pattern]
}

export function createApp(outside: Outside = {}): App {
	const app: App = new Hono()
	app.get(healthLive.path, (c) => answerLive(c.req.raw))

	app.use(`${TUS_PATH}/*`, async (c, next) => {
		const meant = asOverridden(c.req.raw)
		if (meant) return app.fetch(meant, c.env, c.executionCtx)
		await next()
		await rounded(c.req.raw, c.res.headers)
	})

	app.use('*', async (c, next) => {
		const started = Date.now()
		const id = requestIdOf(c.req.raw.headers)
		const env = parseEnv(c.env)
		// Cloudflare lets no such Host header through; another proxy may.
		if (!URL.canParse(c.req.url)) {
			const refused = errorResponse(new AppError('malformed', 'the Host header names no host'), c.req.path)
			secure(refused.headers, env, id)
			return refused
		}
		const deps = buildDeps(env, (work) => c.executionCtx.waitUntil(work), outside, new URL(c.req.url).origin)
		deps.log = deps.log.with({ requestId: id })
		c.set('deps', deps)
		await next()
		const op = c.get('op')
		// Set in place: hono copies an answer, and each of its headers, when it is put in the place of another.
		const { headers } = c.res
		applyCors(headers, c.req.raw, op, env)
		secure(headers, env, id)
		if (!env.isProduction) headers.set('server-timing', `sql;desc="${deps.statements.count}"`)
		deps.log.info('request', {
			method: c.req.method,
			operation: op?.id,
			status: c.res.status,
			ms: Date.now() - started,
			sql: deps.statements.count,
		})
	})

	const methodsAt = new Map<string, string[]>()
	for (const route of allRoutes) {
		for (const path of patternsOf(route.op)) {
			const method = route.op.method.toUpperCase()
			methodsAt.set(path, [...(methodsAt.get(path) ?? []), method])
			if (method === 'OPTIONS') continue
			// To hono HEAD is GET, of whose answer it drops the body.
			app.on(method === 'HEAD' ? 'GET' : method, path, async (c, next) => {
				if (method === 'HEAD' && c.req.method !== 'HEAD') return next()
				c.set('op', route.op)
				return route.answer(c.req.raw, c.req.param() as Record<string, string>, c.get('deps'), doors)
			})
		}
	}
	for (const [path, methods] of methodsAt) {
		const implied = [...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS']
		const allow = [...new Set([...methods, ...implied])].join(', ')
		const routeOf = (method: string | undefined) =>
			allRoutes.find((r) => patternsOf(r.op).includes(path) && r.op.method.toUpperCase() === method)
		app.options(path, async (c) => {
			const wanted = routeOf(c.req.header('access-control-request-method'))
			const own = await routeOf('OPTIONS')?.answer(c.req.raw, {}, c.get('deps'), doors)
			return preflight(c.req.raw, wanted?.op, c.get('deps').env, allow, own?.headers)
		})
		app.all(path, () => {
			throw new AppError('method_not_allowed', 'this address does not take that method', {
				headers: { allow },
			})
		})
	}
	documentRoutes(app)
	app.all(MEDIA_PATH, (c) => answerMedia(c.req.raw, c.get('deps')))
	app.all(STORAGE_DOOR_PATH, (c) => s3Door(c.req.raw, c.get('deps')))

	app.notFound((c) => errorResponse(new AppError('not_found', 'not found'), c.req.path))
	app.onError((error, c) => {
		// There are no deps yet when the installation itself is set up wrongly.
		const log = c.get('deps')?.log ?? outside.log ?? consoleLog
		const refusal = asRefusal(error)
		if (refusal.code === 'internal') log.error('failed', error)
		else if (statusOf[refusal.code] >= 500) log.error('refused', error)
		return errorResponse(refusal, c.req.path)
	})
	return app
}

/** What a caller may know of an error. */
function asRefusal(error: Error): AppError {
	if (error instanceof AppError) return error
	if (error instanceof MisconfiguredError)
		return new AppError('unavailable', 'this installation is not set up correctly; its log says how')
	if (error instanceof StorageNotConfiguredError) return new AppError('not_configured', error.message)
	if (isDatabaseUnavailable(error))
		return new AppError('unavailable', 'the database does not answer at the moment; try again', {
			headers: { 'retry-after': '2' },
		})
	return new AppError('internal', 'something went wrong on our side; the request id helps us find it')
}
