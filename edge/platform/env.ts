import { trimEnd } from '#schema/contract/kit/trim-end.ts'
import '#schema/contract/kit/validation-messages.ts'
import { z } from 'zod'
import { TierName } from '#schema/contract/accounts/tiers.ts'
import { TranscriptionProvider } from '#schema/contract/ai/settings.ts'
import { isAgeRecipient } from './tokens/age-recipient.ts'

/** The binding of Workers AI. */
export type AiBinding = { run(model: string, input: Record<string, unknown>): Promise<unknown> }

/** The bindings and variables that the runtime provides. Only `parseEnv` validates them. */
export type Bindings = {
	DB?: D1Database
	VAULT: R2Bucket
	MEDIA: R2Bucket
	BACKGROUND: Queue
	BULK: Queue
	WEBHOOKS: Queue
	WEBHOOK_RETRIES: Queue
	TRANSCRIPTIONS: Queue
	/** Sends requests to public addresses only. Without it, the runtime's own `fetch` must refuse private ones. */
	PUBLIC_NETWORK?: Fetcher
	/** The port of `npm start`. */
	LISTENING_PORT?: string
	ASSETS?: Fetcher
	FLEET?: DurableObjectNamespace
	UPLOADS?: DurableObjectNamespace
	LIVE_STREAMS?: DurableObjectNamespace
	PLAYBACK_SESSIONS?: DurableObjectNamespace
	ORG_ANALYTICS?: DurableObjectNamespace
	METRICS?: DurableObjectNamespace
	BACKUP_DRILL?: DurableObjectNamespace
	EMAIL?: SendEmail
	MAILBOX?: Fetcher
	DISK?: Fetcher
	AI?: AiBinding
	IMAGES?: ImagesBinding
	[variable: string]: unknown
} & { [name in ShieldName]?: RateLimit }

type Tier = 'FREE' | 'PRO' | 'BUSINESS'
/** The rate limits of wrangler.toml. A tier has three: one organization, one caller, and a caller's guaranteed share. */
export type ShieldName =
	`SHIELD_${'CREDENTIALS' | 'PUBLIC_WRITE' | 'PLAYER_EVENTS' | 'API_KEY' | Tier | `${Tier}_${'CALLER' | 'SHARE'}`}`

/** What a rate limit counts, and the counter that counts it. */
export type RateLimitPolicy = {
	scope: 'address' | 'api-key' | 'caller' | 'organization' | 'members'
	counter: ShieldName
}

const yesOrNo = z.enum(['true', 'false', '1', '0']).transform((text) => text === 'true' || text === '1')
const flag = (fallback: boolean) => yesOrNo.default(fallback)

const list = z
	.string()
	.default('')
	.transform((text) =>
		text
			.split(',')
			.map((item) => item.trim().toLowerCase())
			.filter(Boolean),
	)

/** Treats an empty variable as unset, because `.env` files and dashboards don't distinguish the two. */
const optional = <S extends z.ZodType>(schema: S) =>
	z.preprocess((v) => (v === '' ? undefined : v), schema.optional())

const AuthSecret = z.string().min(32, 'needs at least 32 characters; make one with: openssl rand -base64 48')

export const Variables = z
	.object({
		/**
		 * production, development or test. In development, mails go to the console and plain http is allowed.
		 * Default under npm start: development, or production with TRUST_PROXY or an https PUBLIC_URL.
		 */
		ENVIRONMENT: z.enum(['production', 'development', 'test']).default('production'),
		/** Root of all keys. Without it, everything that signs or seals answers 501. Make one with: openssl rand -base64 48 */
		AUTH_SECRET: optional(AuthSecret),
		/** The previous AUTH_SECRET, still accepted while you rotate it (scripts/operate/reseal.ts). */
		AUTH_SECRET_PREVIOUS: optional(AuthSecret),
		/** Public base URL of the API. Default: the address of each request. */
		PUBLIC_URL: optional(z.url().transform((url) => trimEnd(url, '/'))),
		/** Base URL of links in mails. Default: PUBLIC_URL. */
		FRONTEND_URL: optional(z.url().transform((url) => trimEnd(url, '/'))),
		/**
		 * Base URL of the pages with the player (/watch, /embed), in links, snippets and tags. Default: PUBLIC_URL, or the
		 * address of each request.
		 */
		PLAYER_URL: optional(z.url({ protocol: /^https?$/ }).transform((url) => trimEnd(url, '/'))),
		/** Show the newest public videos of all organizations on the start page (/). */
		LANDING_VIDEOS: flag(true),
		/** Security contacts for /.well-known/security.txt: mailto:, https: or tel: addresses, comma-separated. */
		SECURITY_CONTACT: z
			.string()
			.default('')
			.transform((text) =>
				text
					.split(',')
					.map((item) => item.trim())
					.filter(Boolean),
			)
			.pipe(
				z.array(
					z
						.string()
						.regex(/^(mailto:|https:\/\/|tel:)[\x21-\x7e]+$/, 'must be mailto:, https:// or tel: addresses'),
				),
			),
		/** Origins of web pages that may call the API, besides those that organizations and communities list; comma-separated. */
		CORS_ORIGINS: list,
		/** Allow plain http in addresses that callers give (webhooks, import sources). Default: only outside production. */
		ALLOW_HTTP_URLS: optional(yesOrNo),
		/**
		 * Private networks that webhooks may reach as well: CIDR blocks such as 192.168.0.0/16, comma-separated. Private
		 * addresses, and names such as nas.lan, may then be called over http and on any port. Only under npm start.
		 */
		WEBHOOK_NETWORKS: list.pipe(z.array(z.union([z.cidrv4(), z.cidrv6()]))),
		/** Allow sign-up. When false, only invited addresses can sign up. */
		REGISTRATION_ENABLED: flag(true),
		/** Mail domains that may sign up, comma-separated. Empty: any. */
		REGISTRATION_ALLOWED_DOMAINS: list,
		/** Require an authenticator app or a passkey of superadmins. Without one, they can only set one up. */
		SUPERADMIN_SECOND_FACTOR: flag(false),
		/** Tier of new organizations: free, pro, business or self-hosted. */
		DEFAULT_TIER: TierName.default('self-hosted'),
		/** Overrides how many organizations of that tier one person may create. */
		ORGS_PER_PERSON: optional(z.coerce.number().int().min(1)),
		/** Overrides how many invitations an organization of any tier may send a day. */
		INVITATIONS_PER_DAY: optional(z.coerce.number().int().min(1)),
		/** Gives each community the host `{slug}.{base}`. */
		COMMUNITY_BASE_DOMAIN: optional(
			z
				.string()
				.toLowerCase()
				.transform((host) => host.replace(/\.$/, '')),
		),
		/** Slug of the community to use when a request names none. */
		DEFAULT_COMMUNITY: optional(z.string()),
		/** DNS-over-HTTPS resolver (JSON form) that verifies the TXT records of custom domains. */
		DNS_RESOLVER_URL: z
			.preprocess((v) => (v === '' ? undefined : v), z.url({ protocol: /^https?$/ }).optional())
			.default('https://cloudflare-dns.com/dns-query'),
		/** A libSQL database (libsql:, http: or https:), used instead of the D1 binding. */
		LIBSQL_URL: optional(
			z
				.string()
				.regex(/^(libsql|https?):\/\//)
				// The client drops everything after the last slash.
				.transform((url) => (url.includes('?') || url.endsWith('/') ? url : `${url}/`)),
		),
		/** Auth token of the libSQL database. */
		LIBSQL_AUTH_TOKEN: optional(z.string()),
		/** Sender of all mails. */
		MAIL_FROM: z.string().default('Playhouse <playhouse@localhost>'),
		/** Mail server: smtp://user:password@host:587 (STARTTLS) or smtps://user:password@host:465. */
		SMTP_URL: optional(z.url({ protocol: /^smtps?$/ })),
		/** HTTP mail API in the JSON form of Resend. SMTP_URL takes precedence. */
		MAIL_API_URL: optional(z.url({ protocol: /^https?$/ })),
		/** Bearer token of MAIL_API_URL. */
		MAIL_API_KEY: optional(z.string()),
		/** S3 endpoint of R2 (or another store) for presigned URLs. Default: the Worker's own small S3 API. */
		S3_ENDPOINT: optional(z.url({ protocol: /^https?$/ }).transform((url) => trimEnd(url, '/'))),
		/** Access key of that endpoint; set all three S3 values together. */
		S3_ACCESS_KEY_ID: optional(z.string()),
		/** Secret of that access key. */
		S3_SECRET_ACCESS_KEY: optional(z.string()),
		/** Region of that endpoint. */
		S3_REGION: z.string().default('auto'),
		/** Private bucket: sources and downloads. */
		VAULT_BUCKET: z.string().default('playhouse-vault'),
		/** Bucket that players read. */
		MEDIA_BUCKET: z.string().default('playhouse-media'),
		/** Mail people when they request or cancel the deletion of their account. Reminders are always sent. */
		ACCOUNT_DELETION_NOTICES: flag(true),
		/** Days to remember who was deleted. At least the age of the oldest backup that you could restore. */
		ERASURE_LEDGER_DAYS: z.coerce.number().int().min(30).max(3_650).default(365),
		/** Make a backup of the database each night, verify one each week, and delete old ones. */
		BACKUPS_ENABLED: flag(true),
		/** Days after which every backup is deleted. Default and maximum: ERASURE_LEDGER_DAYS. */
		BACKUP_KEEP_DAYS: optional(z.coerce.number().int().min(7).max(3_650)),
		/**
		 * Recipient of age (age1…) that alone can read backups. Make one with: age-keygen. Default: the installation can read
		 * them, with AUTH_SECRET.
		 */
		BACKUP_RECIPIENT: optional(
			z
				.string()
				.refine(
					isAgeRecipient,
					'must be a recipient of age: the public key that age-keygen prints, which begins with age1',
				),
		),
		/** Days between two drills, which restore the newest backup into a scratch database; 0 for none. */
		BACKUP_DRILL_DAYS: z.coerce.number().int().min(0).max(365).default(7),
		/** Seconds a machine may be silent before another machine gets its task. */
		LEASE_SECONDS: z.coerce.number().int().min(3).max(3_600).default(60),
		/**
		 * Provider that transcribes for organizations without one: openai-compatible, deepgram, assemblyai or workers-ai.
		 * Unset: the binding AI, if there is one.
		 */
		TRANSCRIPTION_PROVIDER: optional(TranscriptionProvider),
		/** Base URL of an openai-compatible TRANSCRIPTION_PROVIDER, such as https://api.openai.com/v1. */
		TRANSCRIPTION_BASE_URL: optional(z.url({ protocol: /^https?$/ })),
		/** API key of TRANSCRIPTION_PROVIDER. Never returned by the API. */
		TRANSCRIPTION_KEY: optional(z.string().regex(/^[\x21-\x7e]{1,500}$/, 'must be visible ASCII characters')),
		/** Model of TRANSCRIPTION_PROVIDER. Default: that of the provider. */
		TRANSCRIPTION_MODEL: optional(z.string().max(200)),
		/** Price of a minute of audio in millionths of a dollar, for the limit in money and for statistics. */
		TRANSCRIPTION_MICROS_PER_MINUTE: optional(z.coerce.number().int().min(0).max(1_000_000_000)),
		/** Seconds of audio a month (UTC) that all organizations together may have transcribed on the installation's account. */
		TRANSCRIPTION_SECONDS_PER_MONTH: optional(z.coerce.number().int().min(0).max(1_000_000_000)),
		/** The same limit in millionths of a dollar. */
		TRANSCRIPTION_MICROS_PER_MONTH: optional(z.coerce.number().int().min(0).max(1_000_000_000_000)),
		/** Tokens a month (UTC) that all organizations together may use with language models of the binding AI. */
		LANGUAGE_MODEL_TOKENS_PER_MONTH: z.coerce.number().int().min(0).max(1_000_000_000_000).default(5_000_000),
		/** How many of these tokens one organization may use. Default: a tenth. */
		LANGUAGE_MODEL_TOKENS_PER_ORG: optional(z.coerce.number().int().min(0).max(1_000_000_000_000)),
		/** LANGUAGE_MODEL_TOKENS_PER_MONTH in millionths of a dollar. Needs both prices. */
		LANGUAGE_MODEL_MICROS_PER_MONTH: optional(z.coerce.number().int().min(0).max(1_000_000_000_000)),
		/** Price of a million tokens that such a model reads, in millionths of a dollar. Take that of the dearest model. */
		LANGUAGE_MODEL_INPUT_MICROS: optional(z.coerce.number().int().min(0).max(1_000_000_000)),
		/** Price of a million tokens that such a model writes. */
		LANGUAGE_MODEL_OUTPUT_MICROS: optional(z.coerce.number().int().min(0).max(1_000_000_000)),
		/** Secret or restricted API key of Stripe. Without it, nothing is for sale. Set it with STRIPE_WEBHOOK_SECRET. */
		STRIPE_SECRET_KEY: optional(
			z.string().regex(/^(sk|rk)_[A-Za-z0-9_]{10,250}$/, 'must begin with sk_ or rk_'),
		),
		/** Signing secret of the webhook endpoint at Stripe that calls /v1/billing/webhook. */
		STRIPE_WEBHOOK_SECRET: optional(
			z.string().regex(/^whsec_[\x21-\x7e]{10,250}$/, 'must begin with whsec_'),
		),
		/** Page to which people return from Stripe. Default: FRONTEND_URL, or PUBLIC_URL. */
		BILLING_RETURN_URL: optional(z.url({ protocol: /^https?$/ })),
		/** Days that the first subscription of an organization costs nothing. Default: no trial. */
		BILLING_TRIAL_DAYS: optional(z.coerce.number().int().min(1).max(730)),
		/** Have Stripe compute taxes and ask for tax ids. Needs a registration in Stripe Tax. */
		BILLING_TAX: flag(false),
		/** Report encode and delivery minutes to the meters of Stripe. */
		BILLING_METERS: flag(false),
		/** Bearer token with which Prometheus reads GET /metrics. Without it, that path answers 404. */
		METRICS_TOKEN: optional(
			z.string().regex(/^[\x21-\x7e]{24,}$/, 'needs at least 24 characters and no spaces'),
		),
		/** Takes over the vault of the installation with this id, which the log names, after a move to another database. */
		ADOPT_VAULT: optional(z.uuid()),
		/** Registration token of transcoding machines. */
		FLEET_TOKEN: optional(
			z.string().regex(/^[\x21-\x7e]{24,}$/, 'needs at least 24 characters and no spaces'),
		),
	})
	.refine(
		({ AUTH_SECRET, AUTH_SECRET_PREVIOUS }) =>
			!AUTH_SECRET_PREVIOUS || (AUTH_SECRET && AUTH_SECRET !== AUTH_SECRET_PREVIOUS),
		{
			path: ['AUTH_SECRET_PREVIOUS'],
			message: 'must be the former value of AUTH_SECRET and differ from the current one',
		},
	)
	.refine(
		({ TRANSCRIPTION_PROVIDER, TRANSCRIPTION_BASE_URL }) =>
			(TRANSCRIPTION_PROVIDER === 'openai-compatible') === (TRANSCRIPTION_BASE_URL !== undefined),
		{
			path: ['TRANSCRIPTION_BASE_URL'],
			message: 'must be set with TRANSCRIPTION_PROVIDER=openai-compatible, and with no other',
		},
	)
	.refine(
		({ TRANSCRIPTION_PROVIDER: provider, TRANSCRIPTION_KEY }) =>
			(provider !== 'deepgram' && provider !== 'assemblyai') || TRANSCRIPTION_KEY !== undefined,
		{ path: ['TRANSCRIPTION_KEY'], message: 'must be set for this TRANSCRIPTION_PROVIDER' },
	)
	.refine(
		({ TRANSCRIPTION_MICROS_PER_MONTH: limit, TRANSCRIPTION_MICROS_PER_MINUTE: price }) =>
			limit === undefined || price !== undefined,
		{ path: ['TRANSCRIPTION_MICROS_PER_MINUTE'], message: 'must be set with TRANSCRIPTION_MICROS_PER_MONTH' },
	)
	.refine(
		({ LANGUAGE_MODEL_INPUT_MICROS: input, LANGUAGE_MODEL_OUTPUT_MICROS: output }) =>
			(input === undefined) === (output === undefined),
		{
			path: ['LANGUAGE_MODEL_INPUT_MICROS'],
			message: 'must be set together with LANGUAGE_MODEL_OUTPUT_MICROS',
		},
	)
	.refine(
		({ LANGUAGE_MODEL_MICROS_PER_MONTH: limit, LANGUAGE_MODEL_INPUT_MICROS: price }) =>
			limit === undefined || price !== undefined,
		{
			path: ['LANGUAGE_MODEL_INPUT_MICROS'],
			message: 'must be set with LANGUAGE_MODEL_MICROS_PER_MONTH',
		},
	)
	.refine(
		({ STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET }) =>
			Boolean(STRIPE_SECRET_KEY) === Boolean(STRIPE_WEBHOOK_SECRET),
		{ path: ['STRIPE_SECRET_KEY'], message: 'must be set together with STRIPE_WEBHOOK_SECRET' },
	)
	.refine(
		({ S3_ENDPOINT, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY }) =>
			Boolean(S3_ENDPOINT) === Boolean(S3_ACCESS_KEY_ID) &&
			Boolean(S3_ENDPOINT) === Boolean(S3_SECRET_ACCESS_KEY),
		{ path: ['S3_ENDPOINT'], message: 'must be set together with S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY' },
	)
	.refine(({ BACKUP_KEEP_DAYS, ERASURE_LEDGER_DAYS }) => (BACKUP_KEEP_DAYS ?? 0) <= ERASURE_LEDGER_DAYS, {
		path: ['BACKUP_KEEP_DAYS'],
		message:
			'must be at most ERASURE_LEDGER_DAYS, because a restore must find every erasure since the backup',
	})
export type Variables = z.infer<typeof Variables>

export type Env = {
	bindings: Bindings
	vars: Variables
	isProduction: boolean
	/** The installation's own hosts. They never select a community, regardless of slugs. */
	ownHosts: ReadonlySet<string>
	/** The origins of the installation's own pages. */
	ownOrigins: readonly string[]
}

/** Thrown for a misconfigured installation; the message is for the log, not for callers. */
export class MisconfiguredError extends Error {
	override name = 'MisconfiguredError'
}

const parsed = new WeakMap<object, Env>()

/** Parses the variables once per isolate, because the runtime passes the same object each time. */
export function parseEnv(bindings: Bindings): Env {
	const known = parsed.get(bindings)
	if (known) return known
	const result = Variables.safeParse(bindings)
	if (!result.success) {
		const problems = result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
		throw new MisconfiguredError(problems.join('; '))
	}
	if (!bindings.DB && !result.data.LIBSQL_URL)
		throw new MisconfiguredError('bind a D1 database as DB, or set LIBSQL_URL')
	const { ENVIRONMENT, PUBLIC_URL, FRONTEND_URL, PLAYER_URL, S3_ENDPOINT } = result.data
	const pageUrls = [PUBLIC_URL, FRONTEND_URL, PLAYER_URL]
	const ownHosts = [...pageUrls, S3_ENDPOINT].flatMap((url) => (url ? [new URL(url).hostname] : []))
	const env = {
		bindings,
		vars: result.data,
		isProduction: ENVIRONMENT === 'production',
		ownHosts: new Set(ownHosts),
		ownOrigins: [...new Set(pageUrls.flatMap((url) => (url ? [new URL(url).origin] : [])))],
	}
	parsed.set(bindings, env)
	return env
}

/** Returns the base URL under which clients reach the API. */
export const apiBase = (env: Env, request: { url: string }): string =>
	env.vars.PUBLIC_URL ?? new URL(request.url).origin

/** Shared caches must not store a response with `apiBase` while it comes from the caller's Host header. */
export const apiBaseCacheScope = ({ vars }: Env): 'public' | 'private' =>
	vars.PUBLIC_URL ? 'public' : 'private'

/** Returns the base URL of the pages with the player. Every host of the Worker serves them; links use this one. */
export const playerBase = (env: Env, request: { url: string }): string =>
	env.vars.PLAYER_URL ?? apiBase(env, request)
