import {
	createExecutionContext,
	createMessageBatch,
	getQueueResult,
	waitOnExecutionContext,
} from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import type { CallInput, CallOutput } from '#schema/contract/kit/client.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'
import { login, signup } from '#schema/contract/platform/identity.ts'
import type { Message } from '#schema/contract/platform/messages.ts'
import { addressCodes, users } from '#schema/tables/identity.ts'
import { createApp } from '../../../edge/app.ts'
import { runScheduled } from '../../../edge/cron.ts'
import { features as allFeatures, contributionsOf } from '../../../edge/features.ts'
import type { Feature } from '../../../edge/http/feature.ts'
import { buildDeps, type Deps, type Outside } from '../../../edge/platform/deps.ts'
import { type Bindings, parseEnv } from '../../../edge/platform/env.ts'
import type { LogFields } from '../../../edge/platform/log.ts'
import { jsonLog } from '../../../edge/platform/log.ts'
import { relayRecorded } from '../../../edge/platform/outbox/relay.ts'
import { type PasswordCost, scryptPasswords } from '../../../edge/platform/tokens/passwords.ts'
import { consumeBatch } from '../../../edge/queue.ts'
import { checkResponse } from '../shared/openapi-validator.ts'
import { emptyDatabase, emptyRuntime } from './empty-runtime.ts'
import { recordStatement } from './statement-record.ts'

/** Cheap enough to make hundreds of people; the standard cost has tests of its own. */
const cheap: PasswordCost = { log2N: 4, r: 1, p: 1 }

export type Person = {
	token: string
	email: string
	password: string
	userId: number
	orgId: string
	orgSlug: string
}
export type Asked<O extends Operation> = {
	status: number
	headers: Headers
	text: string
	/** The parsed success body; reading it of a refusal fails the test. */
	ok: CallOutput<O>
	error: string
	code: string | null
	/** SQL statements of this request. */
	statements: string[]
}
/** A request that was made, to be made again by someone else. */
export type Recorded = { op: Operation; request: (token: string) => Request }
export type Who = {
	token?: string
	key?: string
	ip?: string
	headers?: Record<string, string>
	/** The body of an operation that takes bytes. */
	bytes?: BodyInit
}

/** A Worker of its own on an empty database, with a clock, a mailbox and logs that the test holds in its hands. */
export async function openWorld(
	vars: Record<string, string> = {},
	{ features = allFeatures, ...more }: Pick<Outside, 'fetch'> & { features?: readonly Feature[] } = {},
) {
	const contributions = contributionsOf(features)
	await emptyRuntime()
	let now = Date.UTC(2026, 10, 21, 12)
	const messages: Message[] = []
	const logs: (LogFields & { level: string; message: string })[] = []
	const log = jsonLog((level, line) => logs.push({ level, ...JSON.parse(line) }))
	const statements: string[] = []
	const outside = {
		clock: () => now,
		log,
		passwords: scryptPasswords(cheap),
		onStatement: (sql: string) => void statements.push(sql),
		...more,
	}
	/** Also records the statements of the Worker, for the comparison of D1 and libSQL. */
	const recordedOutside = {
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
		// What is sent is looked at, then delivered with `deliver`, in the order and as often as the test wants.
		BACKGROUND: queue,
		BULK: queue,
		// These count by network for a minute, and a runtime serves many tests in one.
		SHIELD_CREDENTIALS: undefined,
		SHIELD_PUBLIC_WRITE: undefined,
		...vars,
	} as unknown as Bindings
	await openDatabase(bindings)
	const app = createApp(recordedOutside, features)
	const whatFailed = () => {
		const line = logs.findLast(({ level }) => level === 'error')
		return line ? ` (${line.error}${line.cause ? `: ${line.cause}` : ''})` : ''
	}
	let people = 0
	let recording: Recorded[] | undefined

	async function fetch(request: Request): Promise<Response> {
		const ctx = createExecutionContext()
		const response = await app.fetch(request, bindings, ctx)
		// It ends when the test has seen enough.
		if (response.headers.get('content-type') === 'text/event-stream') return response
		// The body is what the answer was waiting for; deferred work comes after it.
		const body = response.body === null ? null : await response.arrayBuffer()
		await waitOnExecutionContext(ctx)
		return new Response(body, response)
	}

	const deps = async <T>(act: (deps: Deps) => Promise<T>, from: Outside = outside): Promise<T> => {
		const ctx = createExecutionContext()
		const built = buildDeps(parseEnv(bindings), contributions, (work) => ctx.waitUntil(work), from)
		const result = await act(built)
		// As the Worker does behind each request.
		relayRecorded(built)
		await waitOnExecutionContext(ctx)
		return result
	}

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
		// No two requests at the same instant: what is ordered by time has an order.
		now++
		const answer = await fetch(request)
		const isEndless = answer.headers.get('content-type') === 'text/event-stream'
		if (isEndless) await answer.body?.cancel()
		const response = isEndless ? new Response('', answer) : answer
		await checkResponse(op, response.clone())
		const text = await textOf(response)
		const parsed =
			text && response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : undefined
		return {
			status: response.status,
			headers: response.headers,
			text,
			get ok() {
				if (!response.ok) throw new Error(`${op.id} answered ${response.status}: ${text}${whatFailed()}`)
				return parsed
			},
			get error() {
				return parsed?.error ?? parsed?.detail
			},
			code: response.headers.get('x-error-code'),
			statements: [...statements],
		}
	}

	/** As if the code of the mail, which is taken away, had been typed in. */
	async function verifyAtOnce(userId: number): Promise<void> {
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
		given: { email?: string; name?: string; password?: string; verified?: boolean } = {},
	): Promise<Person> {
		people++
		const email = given.email ?? `person${people}@example.org`
		const password = given.password ?? 'correct horse battery'
		const name = given.name ?? `Person ${people}`
		// Each from an address of their own, or the limit per address would count them together.
		const { ok } = await ask(
			signup,
			{ body: { email, password, name } },
			{ ip: `198.51.100.${people % 250}` },
		)
		const { token, user, org } = ok.data
		if (given.verified ?? true) await verifyAtOnce(user.id)
		return { token, email, password, userId: user.id, orgId: org.id, orgSlug: org.slug }
	}

	async function logIn(who: Pick<Person, 'email' | 'password'>): Promise<string> {
		// From the network that all sign up from, so that there is nothing to notify of.
		const body = { email: who.email, password: who.password }
		return (await ask(login, { body }, { ip: '198.51.100.1' })).ok.data.token
	}

	/** Gives messages to the Worker's consumer as one batch; says which were acknowledged. */
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
		/** Sets the installation up differently from here on. */
		set: (changed: Record<string, string>) => {
			// A new object, since what is parsed is remembered by the object it came from.
			bindings = { ...bindings, ...changed }
		},
		messages,
		/** Every statement since the last request began. */
		statements,
		logs,
		fetch,
		ask,
		deps,
		person,
		logIn,
		deliver,
		/** From here on keeps the requests of `ask`; the answer ends it and hands them out. */
		record: () => {
			recording = []
			return () => {
				const made = recording ?? []
				recording = undefined
				return made
			}
		},
		/** Every row of every table, but for what reading itself writes. */
		dump: () =>
			deps(async ({ db }) => {
				const tables = await db.all<{ name: string }>(
					"select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not like '_cf_%' and name not in ('attempts', 'idempotency_keys')",
				)
				const rows = await Promise.all(tables.map(({ name }) => db.all(`select * from ${name}`)))
				return Object.fromEntries(tables.map(({ name }, i) => [name, rows[i]]))
			}),
		/** How the database would go about a statement: the lines of its query plan. */
		plan: (sql: string) =>
			deps(async ({ db }) => {
				// The plan does not depend on the values, so any will do.
				const filled = sql.replaceAll(/\?\d*/g, 'null')
				const lines = await db.all<{ detail: string }>(`explain query plan ${filled}`)
				return lines.map(({ detail }) => detail)
			}),
		cron: (expression: string) => deps((d) => runScheduled(expression, d, features), recordedOutside),
		get now() {
			return now
		},
		pass: (ms: number) => {
			now += ms
		},
	}
}

/** Reads a body of any type; `response.text()` has the runtime print a warning unless the type is text. */
export const textOf = async (response: Response): Promise<string> =>
	new TextDecoder().decode(await response.arrayBuffer())

export type World = Awaited<ReturnType<typeof openWorld>>

async function openDatabase(bindings: Bindings): Promise<void> {
	if (env.LIBSQL_BASE) {
		// The server makes it, with all tables, when it is first asked.
		bindings.LIBSQL_URL = `${env.LIBSQL_BASE}/${crypto.randomUUID()}/`
		delete bindings.DB
		return
	}
	await emptyDatabase()
}
