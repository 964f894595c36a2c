import type { Operation } from '#schema/contract/kit/operation.ts'
import type { Authenticators } from './caller.ts'
import { answerPreflight } from './cors.ts'
import { AppError } from './errors.ts'
import type { App } from './hono-app.ts'
import type { Route } from './route.ts'

/** Returns the patterns of a path. A trailing slash is optional. */
function patternsOf({ path }: Operation): string[] {
	const pattern = path.replaceAll(/\{(\w+)\}/g, ':$1')
	return pattern.endsWith('/') ? [pattern, pattern.slice(0, -1)] : [pattern]
}

/** Sorts fixed segments before parameters, because hono takes the first matching pattern. */
function byPrecedence([a]: [string, unknown], [b]: [string, unknown]): number {
	const [first, second] = [a, b].map((path) => path.replaceAll(/[:*]/g, '~')) as [string, string]
	return first < second ? -1 : Number(first > second)
}

/** Serves all operations. Their paths also answer HEAD and OPTIONS, and other methods with 405. */
export function mountRoutes(app: App, routes: readonly Route[], authenticators: Authenticators): void {
	const methodsAt = new Map<string, string[]>()
	const places = routes.flatMap((route) => patternsOf(route.op).map((path): [string, Route] => [path, route]))
	for (const [path, route] of places.toSorted(byPrecedence)) {
		const method = route.op.method.toUpperCase()
		methodsAt.set(path, [...(methodsAt.get(path) ?? []), method])
		if (method === 'OPTIONS') continue
		// Hono handles HEAD as GET and drops the body of the response.
		app.on(method === 'HEAD' ? 'GET' : method, path, async (c, next) => {
			if (method === 'HEAD' && c.req.method !== 'HEAD') return next()
			c.set('op', route.op)
			return route.answer(c.req.raw, c.req.param() as Record<string, string>, c.get('deps'), authenticators)
		})
	}
	for (const [path, methods] of methodsAt) {
		const implied = [...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS']
		const allow = [...new Set([...methods, ...implied])].join(', ')
		const routeOf = (method: string | undefined) =>
			routes.find((r) => patternsOf(r.op).includes(path) && r.op.method.toUpperCase() === method)
		app.options(path, async (c) => {
			const wanted = routeOf(c.req.header('access-control-request-method'))
			const own = await routeOf('OPTIONS')?.answer(c.req.raw, {}, c.get('deps'), authenticators)
			return answerPreflight(c.req.raw, wanted?.op, c.get('deps'), allow, own?.headers)
		})
		app.all(path, () => {
			throw new AppError('method_not_allowed', 'this URL does not support this method', {
				headers: { allow },
			})
		})
	}
}
