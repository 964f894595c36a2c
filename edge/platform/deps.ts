import { type Message, queueOf } from '#schema/contract/platform/messages.ts'
import { type Clock, systemClock } from './clock.ts'
import { type Db, type OnStatement, openDatabase } from './database/database.ts'
import type { Env } from './env.ts'
import { consoleLog, type Log } from './log.ts'
import type { Mailer } from './mail/mail.ts'
import { openMailer } from './mail/mailer.ts'
import { relayEvents } from './outbox/relay.ts'
import type { PersonalData } from './personal-data.ts'
import { type ObjectStorage, openObjectStorage } from './storage/object-storage.ts'
import { type Passwords, scryptPasswords } from './tokens/passwords.ts'
import { deriveSecrets, type Secrets } from './tokens/secrets.ts'
import { joseTokens, type Tokens } from './tokens/tokens.ts'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/**
 * What features hand to features that can't import them. A feature that takes contributions declares a member in its
 * own folder (edge/assets/processing.ts); another one provides it in its feature.ts.
 */
export interface Contributions {
	personalData: PersonalData
}

/** Everything a verb may use besides its input. Built for each request, message and scheduled run. */
export type Deps = {
	env: Env
	/** Where the request arrived; null outside requests. */
	requestOrigin: string | null
	/** One instant for the whole request or run, so that what is written together agrees. */
	now: number
	/** For what goes on for long, and for leases that begin after it. */
	clock: Clock
	db: Db
	/** null while AUTH_SECRET is not set: what signs answers 501 then. */
	secrets: Secrets | null
	tokens: Tokens | null
	passwords: Passwords
	mailer: Mailer
	objects: ObjectStorage
	send(message: Message, options?: { delaySeconds?: number }): Promise<void>
	/** At most 100 messages of at most 256 KB together. */
	sendBatch(messages: readonly Message[]): Promise<void>
	log: Log
	/** Requests to other hosts than our own. */
	fetch: Fetch
	/** Runs a task after the response; events that it records are relayed afterwards. */
	defer(work: Promise<unknown>): void
	/** SQL statements sent so far; in the log line of each request. */
	statements: { count: number }
	contributions: Contributions
}

/** What tests replace. */
export type Outside = {
	clock?: Clock
	log?: Log
	passwords?: Passwords
	mailer?: Mailer
	fetch?: Fetch
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
	const deps: Deps = {
		env,
		requestOrigin,
		now: clock(),
		clock,
		db: openDatabase(env, (sql) => {
			statements.count++
			outside.onStatement?.(sql)
		}),
		secrets,
		tokens,
		passwords: outside.passwords ?? standardPasswords,
		// Made when they are asked for: most requests send no mail and touch no object.
		get mailer() {
			mailer ??= openMailer(env, log)
			return mailer
		},
		get objects() {
			objects ??= openObjectStorage(env, secrets, requestOrigin, deps.now)
			return objects
		},
		async send(message, options) {
			await env.bindings[queueOf(message)].send(message, options)
		},
		async sendBatch(messages) {
			for (const [queue, bodies] of Map.groupBy(messages, queueOf))
				await env.bindings[queue].sendBatch(bodies.map((body) => ({ body })))
		},
		log,
		// Bound to what it belongs to: workerd refuses it as somebody else's method.
		fetch: outside.fetch ?? ((url, init) => fetch(url, init)),
		defer: (work) =>
			defer(
				work
					.catch((error) => log.error('deferred task failed', error))
					.then(() => relayEvents(deps))
					.catch((error) => log.error('could not relay events', error)),
			),
		statements,
		contributions,
	}
	return deps
}
