import {
	createExecutionContext,
	createMessageBatch,
	getQueueResult,
	waitOnExecutionContext,
} from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { AsyncLocalStorage } from 'node:async_hooks'
import { eq } from 'drizzle-orm'
import { login, signup } from '#schema/contract/accounts/identity.ts'
import type { CallInput } from '#schema/contract/kit/client.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'
import type { Message } from '#schema/contract/messages.ts'
import { addressCodes, users } from '#schema/tables/accounts/identity.ts'
import { createApp } from '../../../edge/app.ts'
import { runScheduled } from '../../../edge/cron.ts'
import { features as allFeatures, mergeContributions } from '../../../edge/features.ts'
import type { Feature } from '../../../edge/http/feature.ts'
import type { App } from '../../../edge/http/hono-app.ts'
import { buildDeps, type Deps, type Outside } from '../../../edge/platform/deps.ts'
import { type Bindings, parseEnv } from '../../../edge/platform/env.ts'
import type { LogFields } from '../../../edge/platform/log.ts'
import { jsonLog } from '../../../edge/platform/log.ts'
import { relayRecorded } from '../../../edge/platform/outbox/relay.ts'
import { type PasswordCost, scryptPasswords } from '../../../edge/platform/tokens/passwords.ts'
import { consumeBatch } from '../../../edge/queue.ts'
import { checkResponse } from '../shared/openapi-validator.ts'
import { type Asked, readAsked } from './asked.ts'
import { dumpTables, explainQuery, openDatabase } from './database.ts'
import { emptyRuntime } from './empty-runtime.ts'
import { recordStatement } from './statement-record.ts'

/** Fast enough to sign up hundreds of people; the standard cost has separate tests. */
const cheapPasswords: PasswordCost = { log2N: 4, r: 1, p: 1 }

export type Person = {
	token: string
	email: string
	password: string
	userId: number
	orgId: string
	orgSlug: string
}
/** A recorded request, which can be repeated as someone else. */
export type Recorded = { op: Operation; request: (token: string) => Request }
export type Who = {
	token?: string
	key?: string
	ip?: string
	headers?: Record<string, string>
	/** The body of an operation that accepts bytes. */
	bytes?: BodyInit
}

const outsideOfRequest = new AsyncLocalStorage<Outside>()
const anyOutside: Outside = new Proxy(
	{},
	{ get: (_, part: keyof Outside) => outsideOfRequest.getStore()?.[part] },
)
const apps = new WeakMap<readonly Feature[], App>()

/** Returns the app that all worlds with these features share: building it takes as long as ten requests. */
function shareApp(features: readonly Feature[]): App {
	const app = apps.get(features) ?? createApp(anyOutside, features)
	apps.set(features, app)
	return app
}

/** A Worker on an empty database, with a clock, messages and logs that the test controls. */
export async function openWorld(
	vars: Record<string, string> = {},
	{
		features = allFeatures,
		counts = false,
		...more
	}: Pick<Outside, 'fetch' | 'fetchPublic'> & {
		features?: readonly Feature[]
		/** Whether requests are counted in the metrics object, which takes a call for each. */
		counts?: boolean
	} = {},
) {
	const contributions = mergeContributions(features)
	await emptyRuntime()
	// Durable Objects set alarms by this clock, and workerd fires them by the real one, so a past date would fire them at
	// once.
	let now = Date.UTC(2037, 10, 21, 12)
	const messages: Message[] = []
	const logs: (LogFields & { level: string; message: string })[] = []
	const log = jsonLog((level, line) => logs.push({ level, ...JSON.parse(line) }))
	const statements: string[] = []
	let faults: ((sql: string) => void) | undefined
	const outside = {
		clock: () => now,
		log,
		passwords: scryptPasswords(cheapPasswords),
		// Tests that deliver webhooks pass a receiver of their own.
		fetchPublic: async () => new Response(null, { status: 503 }),
		wait: async () => undefined,
		onStatement: (sql: string) => void statements.push(sql),
		...more,
	}
	/** Also records the statements of the Worker, for the comparison of D1 and libSQL. */
	const recordedOutside = {
		...outside,
		onStatement: (sql: string) => {
			outside.onStatement(sql)
			faults?.(sql)
			recordStatement(sql)
		},
	}
	/** Records statements for the comparison. Unlike `recordedOutside`, it injects no faults. */
	const comparedOutside = {
		...outside,
		onStatement: (sql: string) => {
			outside.onStatement(sql)
			recordStatement(sql)
		},
	}
	const queue = {
		send: async (message: Message) => void messages.push(structuredClone(message)),
		sendBatch: async (batch: { body: Message }[]) =>
			void messages.push(...batch.map(({ body }) => structuredClone(body))),
	}
	let bindings = {
		...env,
		// Messages are kept until the test calls `deliver`, in any order and as often as needed.
		BACKGROUND: queue,
		BULK: queue,
		WEBHOOKS: queue,
		WEBHOOK_RETRIES: queue,
		TRANSCRIPTIONS: queue,
		// These limits count by network for a minute, in which a runtime serves many tests.
		SHIELD_CREDENTIALS: undefined,
		SHIELD_PUBLIC_WRITE: undefined,
		SHIELD_PLAYER_EVENTS: undefined,
		...(!counts && { METRICS: undefined }),
		...vars,
	} as unknown as Bindings
	await openDatabase(bindings)
	const app = shareApp(features)
	const lastError = () => {
		const line = logs.findLast(({ level }) => level === 'error')
		return line ? ` (${line.error}${line.cause ? `: ${line.cause}` : ''})` : ''
	}
	let people = 0
	let recording: Recorded[] | undefined

	async function fetch(request: Request): Promise<Response> {
		const ctx = createExecutionContext()
		const response = await outsideOfRequest.run(recordedOutside, () => app.fetch(request, bindings, ctx))
		// The test ends a stream itself.
		if (response.headers.get('content-type') === 'text/event-stream') return response
		// Deferred work starts after the body is read.
		const body = response.body === null ? null : await response.arrayBuffer()
		await waitOnExecutionContext(ctx)
		return new Response(body, response)
	}

	/**
	 * Runs statements of a test. They are not compared. On libSQL they are recorded all the same: a statement that ran there is
	 * known to work, whoever sent it.
	 */
	const deps = async <T>(
		act: (deps: Deps) => Promise<T>,
		from: Outside = env.LIBSQL_BASE ? comparedOutside : outside,
	): Promise<T> => {
		const ctx = createExecutionContext()
		const built = buildDeps(parseEnv(bindings), contributions, (work) => ctx.waitUntil(work), from)
		const result = await act(built)
		// As the Worker does after each request.
		relayRecorded(built)
		await waitOnExecutionContext(ctx)
		return result
	}

	/** Runs a part of the product, whose statements are compared between D1 and libSQL. */
	const perform = <T>(act: (deps: Deps) => Promise<T>): Promise<T> => deps(act, comparedOutside)

	async function ask<const O extends Operation>(
		op: O,
		input: CallInput<O>,
		who: Who = {},
	): Promise<Asked<O>> {
		const {
			params = {},
			query = {},
			body,
		} = input as { params?: Record<string, string>; query?: Record<string, string>; body?: unknown }
		const path = op.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
			encodeURIComponent(String(params[name])),
		)
		const search = new URLSearchParams(query)
		const sentBody =
			who.bytes ?? (body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body))
		const request = new Request(`https://edge.test${path}${search.size ? `?${search}` : ''}`, {
			method: op.method.toUpperCase(),
			headers: {
				...(who.token && { authorization: `Bearer ${who.token}` }),
				...(who.key && { 'x-api-key': who.key }),
				...(body !== undefined && { 'content-type': 'application/json' }),
				'cf-connecting-ip': who.ip ?? '192.0.2.1',
				...who.headers,
			},
			body: sentBody,
		})
		recording?.push({
			op,
			request: (token) => {
				const headers = new Headers(request.headers)
				headers.delete('x-api-key')
				headers.set('authorization', `Bearer ${token}`)
				return new Request(request.url, { method: request.method, headers, body: sentBody })
			},
		})
		statements.length = 0
		// No two requests have the same time, so that sorting by time is unambiguous.
		now++
		const received = await fetch(request)
		const isEndless = received.headers.get('content-type') === 'text/event-stream'
		if (isEndless) await received.body?.cancel()
		const response = isEndless ? new Response('', received) : received
		await checkResponse(op, response.clone())
		return readAsked(op, response, [...statements], lastError)
	}

	/** Verifies an email address without its code, and removes the message with the code. */
	async function verifyEmailOf(userId: number): Promise<void> {
		const sent = messages.findLastIndex((m) => m.type === 'code.send' && m.purpose === 'verify')
		messages.splice(sent, 1)
		await deps(({ db }) =>
			db.batch([
				db.update(users).set({ emailVerifiedAt: now }).where(eq(users.id, userId)),
				db.delete(addressCodes).where(eq(addressCodes.userId, userId)),
			]),
		)
	}

	async function person(
		options: { email?: string; name?: string; password?: string; verified?: boolean } = {},
	): Promise<Person> {
		people++
		const email = options.email ?? `person${people}@example.org`
		const password = options.password ?? 'correct horse battery'
		const name = options.name ?? `Person ${people}`
		// Each from a different address, as the limit per address would count them together.
		const { ok } = await ask(
			signup,
			{ body: { email, password, name } },
			{ ip: `198.51.100.${people % 250}` },
		)
		const { token, user, org } = ok.data
		if (options.verified ?? true) await verifyEmailOf(user.id)
		return { token, email, password, userId: user.id, orgId: org.id, orgSlug: org.slug }
	}

	async function logIn(who: Pick<Person, 'email' | 'password'>): Promise<string> {
		// From the network that all sign up from, so that no login notification is sent.
		const body = { email: who.email, password: who.password }
		return (await ask(login, { body }, { ip: '198.51.100.1' })).ok.data.token
	}

	/** Delivers messages to the Worker's queue consumer as one batch; returns which were acknowledged. */
	async function deliver(
		batch: Message[] = messages.splice(0),
		queue = 'playhouse-background',
		attempts = 1,
	) {
		const sent = createMessageBatch<Message>(
			queue,
			batch.map((body, i) => ({ id: `${now}-${i}`, timestamp: new Date(now), attempts, body })),
		)
		const ctx = createExecutionContext()
		await consumeBatch(
			sent,
			buildDeps(parseEnv(bindings), contributions, (work) => ctx.waitUntil(work), recordedOutside),
			features,
		)
		await waitOnExecutionContext(ctx)
		return getQueueResult(sent, ctx)
	}

	return {
		bindings,
		/** Changes variables of the installation. */
		set: (changed: Record<string, string | undefined>) => {
			// A new object, as parsed variables are cached by their object.
			bindings = { ...bindings, ...changed }
		},
		messages,
		/** Every statement since the last request began. */
		statements,
		logs,
		fetch,
		ask,
		deps,
		perform,
		person,
		logIn,
		deliver,
		/** Starts recording the requests of `ask`; the returned function ends it and returns them. */
		record: () => {
			recording = []
			return () => {
				const recorded = recording ?? []
				recording = undefined
				return recorded
			}
		},
		/** Every row of every table, except those that reading itself writes. */
		dump: () => deps(({ db }) => dumpTables(db)),
		/** The lines of a statement's query plan. */
		plan: (sql: string) => deps(({ db }) => explainQuery(db, sql)),
		/** Runs some work in a Worker whose statements may throw, as if it died before them. */
		dieDuring: async <T>(fault: (sql: string) => void, work: () => Promise<T>): Promise<T> => {
			faults = fault
			try {
				return await work()
			} finally {
				faults = undefined
			}
		},
		cron: (expression: string) => deps((d) => runScheduled(expression, d, features), recordedOutside),
		get now() {
			return now
		},
		pass: (ms: number) => {
			now += ms
		},
	}
}

export type World = Awaited<ReturnType<typeof openWorld>>
