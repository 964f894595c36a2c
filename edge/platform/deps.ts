import type { Message } from '#schema/contract/messages.ts'
import { type Clock, systemClock } from './clock.ts'
import { type Db, type OnStatement, openDatabase } from './database.ts'
import type { Env } from './env.ts'
import { consoleLog, type Log } from './log.ts'
import { type Mailer, openMailer } from './mailer.ts'
import { type ObjectStorage, openObjectStorage } from './object-storage.ts'
import { type Passwords, scryptPasswords } from './passwords.ts'
import { deriveSecrets, type Secrets } from './secrets.ts'
import { joseTokens, type Tokens } from './tokens.ts'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Everything a verb may touch besides its input. Built for each request, message and scheduled run alike. */
export type Deps = {
	env: Env
	/** Where the request arrived; null outside requests. */
	requestOrigin: string | null
	/** One instant for the whole request or run, so that what is written together agrees. */
	now: number
	db: Db
	/** null while AUTH_SECRET is not set: what signs answers 501 then. */
	secrets: Secrets | null
	tokens: Tokens | null
	passwords: Passwords
	mailer: Mailer
	objects: ObjectStorage
	send(message: Message, options?: { delaySeconds?: number }): Promise<void>
	log: Log
	/** Requests to other hosts than our own. */
	fetch: Fetch
	/** Lets work go on after the answer was given. */
	defer(work: Promise<unknown>): void
	/** SQL statements sent so far; in the log line of each request. */
	statements: { count: number }
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
	defer: (work: Promise<unknown>) => void,
	outside: Outside = {},
	requestOrigin: string | null = null,
): Deps {
	const statements = { count: 0 }
	const now = (outside.clock ?? systemClock)()
	const { secrets, tokens } = signing(env)
	const log = outside.log ?? consoleLog
	let mailer = outside.mailer
	let objects: ObjectStorage | undefined
	return {
		env,
		requestOrigin,
		now,
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
			objects ??= openObjectStorage(env, secrets, requestOrigin, now)
			return objects
		},
		async send(message, options) {
			await env.bindings.BACKGROUND.send(message, options)
		},
		log,
		// Bound to what it belongs to: workerd refuses it as somebody else's method.
		fetch: outside.fetch ?? ((url, init) => fetch(url, init)),
		defer: (work) => defer(work.catch((error) => log.error('deferred work failed', error))),
		statements,
	}
}
