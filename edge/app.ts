import { Hono } from 'hono'
import type { Operation } from '#schema/contract/kit/operation.ts'
import { statusByCode } from '#schema/contract/kit/problem.ts'
import { features, mergeAuthenticators, mergeContributions } from './features.ts'
import { applyCors } from './http/cors.ts'
import { AppError, diskFullError, errorResponse } from './http/errors.ts'
import type { Feature } from './http/feature.ts'
import { IMPERSONATION_HEADER } from './http/guards/impersonation.ts'
import { requireCurrentDatabase } from './http/guards/rewind.ts'
import { addDeprecationHeaders, addSecurityHeaders, readRequestId } from './http/headers.ts'
import type { App } from './http/hono-app.ts'
import { notFoundResponse, unknownAddressError } from './http/html/not-found.ts'
import { formatPolicies } from './http/limits/rate-limit-policies.ts'
import { mountRoutes } from './http/mount.ts'
import { addPageHeaders } from './http/own-pages/page-session.ts'
import type { Route } from './http/route.ts'
import {
	requestDuration,
	requestsAnswered,
	toStatusClass,
} from './operations/diagnostics/metrics/runtime-metrics.ts'
import { SECOND } from './platform/clock.ts'
import { isDatabaseFull, isDatabaseUnavailable } from './platform/database/database-unavailable.ts'
import { buildDeps, type Deps, type Outside } from './platform/deps.ts'
import { MisconfiguredError, parseEnv } from './platform/env.ts'
import { consoleLog } from './platform/log.ts'
import { incrementCounter, observeSeconds } from './platform/metrics/count.ts'
import { parseTraceId } from './platform/network/trace.ts'
import { relayRecorded } from './platform/outbox/relay.ts'
import { isDiskFull, StorageNotConfiguredError } from './platform/storage/storage-errors.ts'

/** All operations of the Worker. */
export const allRoutes: readonly Route[] = features.flatMap(({ routes = [] }: Feature) => routes)

export function createApp(outside: Outside = {}, mounted: readonly Feature[] = features): App {
	const app: App = new Hono()
	const contributions = mergeContributions(mounted)
	for (const { mountFirst } of mounted) mountFirst?.(app)

	app.use('*', async (c, next) => {
		const started = Date.now()
		const id = readRequestId(c.req.raw.headers)
		const env = parseEnv(c.env)
		// Cloudflare rejects an invalid Host header, but other proxies may not.
		if (!URL.canParse(c.req.url)) {
			const response = errorResponse(
				new AppError('malformed', 'the Host header is not a valid host'),
				c.req.path,
			)
			addSecurityHeaders(response.headers, env, id)
			return response
		}
		const deps = buildDeps(
			env,
			contributions,
			(work) => c.executionCtx.waitUntil(work),
			outside,
			new URL(c.req.url).origin,
		)
		deps.traceId = parseTraceId(c.req.raw.headers.get('traceparent')) ?? deps.traceId
		deps.log = deps.log.with({ requestId: id, traceId: deps.traceId })
		deps.requestId = id
		c.set('deps', deps)
		c.set('requestId', id)
		await next()
		relayRecorded(deps)
		if (deps.work.hasRevoked) deps.defer(contributions.copyRevocations(deps))
		const op = c.get('op')
		// Headers are set in place, because Hono copies the response and its headers whenever `c.res` is assigned.
		const { headers } = c.res
		await applyCors(headers, c.req.raw, op, deps)
		addSecurityHeaders(headers, env, id)
		addPageHeaders(headers, deps)
		addDeprecationHeaders(headers, op)
		if (deps.rateLimitPolicies.length > 0)
			headers.set('ratelimit-policy', formatPolicies(deps.rateLimitPolicies))
		if (deps.impersonation) headers.set(IMPERSONATION_HEADER, deps.impersonation.may)
		if (!env.isProduction) headers.set('server-timing', `sql;desc="${deps.statements.count}"`)
		countRequest(deps, op, c.res.status, Date.now() - started)
		if (op?.logsFailuresOnly && c.res.ok) return
		deps.log.info('request', {
			method: c.req.method,
			operation: op?.id,
			status: c.res.status,
			ms: Date.now() - started,
			sql: deps.statements.count,
		})
	})

	app.use('*', async (c, next) => {
		await requireCurrentDatabase(c.get('deps'), c.req)
		await next()
	})

	const routes = mounted.flatMap(({ routes = [] }) => routes)
	mountRoutes(app, routes, mergeAuthenticators(mounted))
	for (const { mount } of mounted) mount?.(app)

	app.notFound((c) => notFoundResponse(unknownAddressError(c.req.path, routes), c.req.raw))
	app.onError((error, c) => {
		// With an invalid configuration, the deps were never built.
		const log = c.get('deps')?.log ?? outside.log ?? consoleLog
		const appError = toAppError(error)
		if (appError.code === 'internal') log.error('failed', error)
		else if (statusByCode[appError.code] >= 500) log.error('refused', error)
		// Operations always respond to programs.
		if (appError.code === 'not_found' && !c.get('op')) return notFoundResponse({ error: appError }, c.req.raw)
		return errorResponse(appError, c.req.path)
	})
	return app
}

function countRequest(deps: Deps, op: Operation | undefined, status: number, ms: number): void {
	incrementCounter(deps, requestsAnswered, { operation: op?.id ?? 'none', status: toStatusClass(status) })
	observeSeconds(deps, requestDuration, { group: op?.tag ?? 'none' }, ms / SECOND)
}

/** Returns the error as callers may see it. */
function toAppError(error: Error): AppError {
	if (error instanceof AppError) return error
	if (error instanceof MisconfiguredError)
		return new AppError('unavailable', 'this installation is misconfigured; see its log')
	if (error instanceof StorageNotConfiguredError) return new AppError('not_configured', error.message)
	if (isDatabaseUnavailable(error))
		return new AppError('unavailable', 'the database does not respond; try again', {
			headers: { 'retry-after': '2' },
		})
	if (isDiskFull(error)) return diskFullError()
	if (isDatabaseFull(error))
		return new AppError(
			'insufficient_storage',
			'the database of this installation is full; delete something, or contact its operator',
		)
	return new AppError('internal', 'something went wrong on our side; the request id helps us find it')
}
