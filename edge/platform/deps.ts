import type { SQL } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import { chooseQueue, type Message } from '#schema/contract/messages.ts'
import { type Clock, systemClock } from './clock.ts'
import { type Db, type OnStatement, openDatabase } from './database/database.ts'
import type { Env, RateLimitPolicy } from './env.ts'
import { consoleLog, type Log } from './log.ts'
import type { Mailer } from './mail/mail.ts'
import { openMailer } from './mail/mailer.ts'
import type { Metric } from './metrics/metric.ts'
import { newTraceId } from './network/trace.ts'
import { BATCH_SIZE, relayEvents } from './outbox/relay.ts'
import type { PersonalData } from './personal-data.ts'
import { type ObjectStorage, openObjectStorage } from './storage/object-storage.ts'
import { type Passwords, scryptPasswords } from './tokens/passwords.ts'
import { deriveSecrets, type Secrets } from './tokens/secrets.ts'
import { joseTokens, type Tokens } from './tokens/tokens.ts'
import { openUnitOfWork, type UnitOfWork } from './unit-of-work.ts'

/** Returns statements that delete rows of a video if `condition` holds. */
export type DeleteOfAsset = (db: Db, assetId: string, condition: SQL) => readonly BatchItem<'sqlite'>[]

/** Returns statements that stop work on a video if `condition` holds. */
export type StopWorkOnAsset = (
	db: Db,
	assetId: string,
	now: number,
	condition: SQL,
) => readonly BatchItem<'sqlite'>[]

/** Returns an SQL condition: the work on a video has not ended. */
export type IsAssetBusy = (assetId: string) => SQL

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/**
 * Functions and data that features provide to features that can't import them. The receiver declares a member in its
 * own folder (edge/video/assets/processing.ts); the provider sets it in its feature.ts.
 */
export interface Contributions {
	personalData: PersonalData
	metrics: readonly Metric[]
	/** Deletes the rows of all features that belong to a video, if a condition holds. */
	deleteOfAssetStatements: DeleteOfAsset
	/** Stops the work of all features on a video that moves to the trash. */
	stopWorkOnAssetStatements: StopWorkOnAsset
	/** Holds while a feature works on a video that can't stop. */
	isAssetBusy: IsAssetBusy
	/** Runs after work that may have recorded public events. */
	planDeliveries(deps: Deps): Promise<void>
	/** Runs after a request with a revocation, so that a restore does not undo it. */
	copyRevocations(deps: Deps): Promise<void>
}

/** Everything a verb may use besides its input. Built for each request, message and scheduled run. */
export type Deps = {
	env: Env
	/** The origin that the request was sent to; null outside requests. */
	requestOrigin: string | null
	/** Names the request in logs and in the audit log; null outside requests. */
	requestId: string | null
	/** The permissions of the impersonating superadmin and their expiry; null for other callers. */
	impersonation: { may: 'read' | 'write'; expiresAt: number } | null
	/** The cookie of one of our own pages (edge/http/own-pages); null for other requests. */
	cookie: {
		kind: 'session' | 'impersonation'
		token: string
		/** Whether the token replaces the one that the browser sent. */
		isRenewed: boolean
		hasEnded: boolean
	} | null
	/** The stream token of the request; null for other requests (edge/http/live-streams). */
	streamToken: { id: string; expiresAt: number; topics: readonly string[] } | null
	/** The rate limits that apply to the request. */
	rateLimitPolicies: RateLimitPolicy[]
	/** The trace that the request or run belongs to: 32 hexadecimal digits. */
	traceId: string
	/** The start of the request, or the instant for which a run was scheduled. All its writes use this instant. */
	readonly now: number
	/** Reads the current time, for long-running work and for leases that start later than `now`. */
	clock: Clock
	db: Db
	/** For statements that record an event or write an entry of the audit log. */
	work: UnitOfWork
	/** Null without AUTH_SECRET; operations that sign then answer 501. */
	secrets: Secrets | null
	tokens: Tokens | null
	passwords: Passwords
	mailer: Mailer
	objects: ObjectStorage
	send(message: Message, options?: { delaySeconds?: number }): Promise<void>
	/** Takes at most 256 KB for each hundred messages. */
	sendBatch(messages: readonly Message[]): Promise<void>
	log: Log
	/** Sends requests to other hosts. */
	fetch: Fetch
	/** Sends requests to user-supplied addresses, which must be public. */
	fetchPublic: Fetch
	/** Runs a task after the response; its events are relayed afterwards. */
	defer(work: Promise<unknown>): void
	/** Resolves after some time. Only for work that is deferred. */
	wait(ms: number): Promise<void>
	/** The number of SQL statements sent so far, for the log line of each request. */
	statements: { count: number }
	contributions: Contributions
}

/** Dependencies that tests replace, and the instant of a scheduled run. */
export type Outside = {
	clock?: Clock
	now?: number
	log?: Log
	passwords?: Passwords
	mailer?: Mailer
	fetch?: Fetch
	fetchPublic?: Fetch
	wait?: (ms: number) => Promise<void>
	onStatement?: OnStatement
}

const secretsOf = new WeakMap<Env, { secrets: Secrets; tokens: Tokens }>()
const standardPasswords = scryptPasswords()

function signing(env: Env) {
	const { AUTH_SECRET: current, AUTH_SECRET_PREVIOUS: previous } = env.vars
	if (!current) return { secrets: null, tokens: null }
	let made = secretsOf.get(env)
	if (!made) {
		const secrets = deriveSecrets(current, previous)
		made = { secrets, tokens: joseTokens(secrets) }
		secretsOf.set(env, made)
	}
	return made
}

export function buildDeps(
	env: Env,
	contributions: Contributions,
	defer: (work: Promise<unknown>) => void,
	outside: Outside = {},
	requestOrigin: string | null = null,
): Deps {
	const statements = { count: 0 }
	const clock = outside.clock ?? systemClock
	const { secrets, tokens } = signing(env)
	const log = outside.log ?? consoleLog
	let mailer = outside.mailer
	let objects: ObjectStorage | undefined
	const startedAt = clock()
	const now = outside.now ?? startedAt
	const db = openDatabase(env, (sql) => {
		statements.count++
		outside.onStatement?.(sql)
	})
	const deps: Deps = {
		env,
		requestOrigin,
		requestId: null,
		impersonation: null,
		cookie: null,
		streamToken: null,
		rateLimitPolicies: [],
		traceId: newTraceId(),
		now,
		clock,
		db,
		work: openUnitOfWork(db, now),
		secrets,
		tokens,
		passwords: outside.passwords ?? standardPasswords,
		// Lazy, because most requests send no mail and use no object.
		get mailer() {
			mailer ??= openMailer(env, log)
			return mailer
		},
		get objects() {
			objects ??= openObjectStorage(env, secrets, requestOrigin, startedAt)
			return objects
		},
		async send(message, options) {
			await env.bindings[chooseQueue(message)].send(message, options)
		},
		async sendBatch(messages) {
			for (const [queue, bodies] of Map.groupBy(messages, chooseQueue))
				for (let at = 0; at < bodies.length; at += BATCH_SIZE)
					await env.bindings[queue].sendBatch(bodies.slice(at, at + BATCH_SIZE).map((body) => ({ body })))
		},
		log,
		// Wrapped, because workerd rejects `fetch` when it is called as a method of another object.
		fetch: outside.fetch ?? ((url, init) => fetch(url, init)),
		fetchPublic:
			outside.fetchPublic ?? ((url, init) => (env.bindings.PUBLIC_NETWORK ?? globalThis).fetch(url, init)),
		defer: (work) =>
			defer(
				work
					.catch((error) => log.error('deferred task failed', error))
					.then(() => relayEvents(deps))
					.catch((error) => log.error('could not relay events', error))
					.then(() => contributions.planDeliveries(deps))
					.catch((error) => log.error('could not plan deliveries', error)),
			),
		wait: outside.wait ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms))),
		statements,
		contributions,
	}
	return deps
}
