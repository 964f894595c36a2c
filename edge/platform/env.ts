import { z } from 'zod'
import { TierName } from '#schema/contract/tiers.ts'

/** What the runtime gives. Everything here is optional until `parseEnv` has looked at it. */
export type Bindings = {
	DB?: D1Database
	VAULT: R2Bucket
	MEDIA: R2Bucket
	BACKGROUND: Queue
	ASSETS?: Fetcher
	FLEET?: DurableObjectNamespace
	UPLOADS?: DurableObjectNamespace
	MEMBER_STREAMS?: DurableObjectNamespace
	SHIELD_CREDENTIALS?: RateLimit
	SHIELD_PUBLIC_WRITE?: RateLimit
	SHIELD_FREE?: RateLimit
	SHIELD_PRO?: RateLimit
	SHIELD_BUSINESS?: RateLimit
	EMAIL?: SendEmail
	[variable: string]: unknown
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

/** An empty variable is the same as none: `.env` files and dashboards make no difference between them. */
const optional = <S extends z.ZodType>(schema: S) =>
	z.preprocess((v) => (v === '' ? undefined : v), schema.optional())

const AuthSecret = z.string().min(32, 'needs at least 32 characters; make one with: openssl rand -base64 48')

export const Variables = z
	.object({
		ENVIRONMENT: z.enum(['production', 'development', 'test']).default('production'),
		/** The root of all keys. Without it nothing that signs works (501). */
		AUTH_SECRET: optional(AuthSecret),
		/** The value before this one, accepted while AUTH_SECRET is rotated (scripts/reseal.ts). */
		AUTH_SECRET_PREVIOUS: optional(AuthSecret),
		/** Where the API is reached from outside; by default the address of each request. */
		PUBLIC_URL: optional(z.url().transform((url) => url.replace(/\/+$/, ''))),
		/** Where links in mails lead; by default PUBLIC_URL. */
		FRONTEND_URL: optional(z.url().transform((url) => url.replace(/\/+$/, ''))),
		/** Who hears of security problems (/.well-known/security.txt): mailto:, https: or tel: addresses, comma-separated. */
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
		/** Web pages that may call the API with credentials of their users: origins, comma-separated. */
		CORS_ORIGINS: list,
		/**
		 * Whether addresses that people give (webhooks, sources of imports) may be plain http; by default only outside
		 * production.
		 */
		ALLOW_HTTP_URLS: optional(yesOrNo),
		REGISTRATION_ENABLED: flag(true),
		/** Mail domains that may sign up, comma-separated; empty means any. */
		REGISTRATION_ALLOWED_DOMAINS: list,
		DEFAULT_TIER: TierName.default('self-hosted'),
		/** How many organizations of that tier one person may make, instead of what the tier says. */
		ORGS_PER_PERSON: optional(z.coerce.number().int().min(1)),
		/** How many invitations an organization of any tier may send a day, instead of what its tier says. */
		INVITATIONS_PER_DAY: optional(z.coerce.number().int().min(1)),
		/** Under it each community has the host `{slug}.{base}`. */
		COMMUNITY_BASE_DOMAIN: optional(
			z
				.string()
				.toLowerCase()
				.transform((host) => host.replace(/\.$/, '')),
		),
		/** Slug of the community that is meant when a request names none. */
		DEFAULT_COMMUNITY: optional(z.string()),
		/** Where TXT records of custom domains are looked up: DNS over HTTPS in its JSON form. */
		DNS_RESOLVER_URL: z
			.preprocess((v) => (v === '' ? undefined : v), z.url({ protocol: /^https?$/ }).optional())
			.default('https://cloudflare-dns.com/dns-query'),
		/** Over HTTP: a WebSocket would belong to one request. The client drops what follows the last slash. */
		LIBSQL_URL: optional(
			z
				.string()
				.regex(/^(libsql|https?):\/\//)
				.transform((url) => (url.includes('?') || url.endsWith('/') ? url : `${url}/`)),
		),
		LIBSQL_AUTH_TOKEN: optional(z.string()),
		MAIL_FROM: z.string().default('Playhouse <playhouse@localhost>'),
		/** smtp://user:password@host:587 (STARTTLS) or smtps://user:password@host:465. */
		SMTP_URL: optional(z.url({ protocol: /^smtps?$/ })),
		MAIL_API_URL: optional(z.url({ protocol: /^https?$/ })),
		MAIL_API_KEY: optional(z.string()),
		/** R2's (or any) S3 door for presigned URLs; without it the Worker opens its own. */
		S3_ENDPOINT: optional(z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ''))),
		S3_ACCESS_KEY_ID: optional(z.string()),
		S3_SECRET_ACCESS_KEY: optional(z.string()),
		S3_REGION: z.string().default('auto'),
		VAULT_BUCKET: z.string().default('playhouse-vault'),
		MEDIA_BUCKET: z.string().default('playhouse-media'),
		/** Mails after asking for a deletion and after cancelling it. Reminders go out in any case. */
		ACCOUNT_DELETION_NOTICES: flag(true),
		/** How long it is remembered who was deleted: no shorter than the oldest backup that could be restored. */
		ERASURE_LEDGER_DAYS: z.coerce.number().int().min(30).max(3_650).default(365),
		/** How long a machine may be silent until its task is given to another one. */
		LEASE_SECONDS: z.coerce.number().int().min(3).max(3_600).default(60),
		/** What a transcoding machine shows to register itself. */
		FLEET_TOKEN: optional(
			z.string().regex(/^[\x21-\x7e]{24,}$/, 'needs at least 24 characters and no spaces'),
		),
	})
	.refine(
		({ AUTH_SECRET, AUTH_SECRET_PREVIOUS }) =>
			!AUTH_SECRET_PREVIOUS || (AUTH_SECRET && AUTH_SECRET !== AUTH_SECRET_PREVIOUS),
		{
			path: ['AUTH_SECRET_PREVIOUS'],
			message: 'is the value before AUTH_SECRET, which has to be another one',
		},
	)
	.refine(
		({ S3_ENDPOINT, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY }) =>
			Boolean(S3_ENDPOINT) === Boolean(S3_ACCESS_KEY_ID) &&
			Boolean(S3_ENDPOINT) === Boolean(S3_SECRET_ACCESS_KEY),
		{ path: ['S3_ENDPOINT'], message: 'goes together with S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY' },
	)
export type Variables = z.infer<typeof Variables>

export type Env = {
	bindings: Bindings
	vars: Variables
	isProduction: boolean
	/** Hosts of the installation itself: they name no community, whatever communities are called. */
	ownHosts: ReadonlySet<string>
}

/** Thrown at the door when an installation is set up wrongly; its message is for the log, not for callers. */
export class MisconfiguredError extends Error {
	override name = 'MisconfiguredError'
}

const parsed = new WeakMap<object, Env>()

/** Parsed once per isolate: the runtime hands in the same object each time. */
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
	const { ENVIRONMENT, PUBLIC_URL, FRONTEND_URL, S3_ENDPOINT } = result.data
	const own = [PUBLIC_URL, FRONTEND_URL, S3_ENDPOINT].flatMap((url) => (url ? [new URL(url).hostname] : []))
	const env = {
		bindings,
		vars: result.data,
		isProduction: ENVIRONMENT === 'production',
		ownHosts: new Set(own),
	}
	parsed.set(bindings, env)
	return env
}

/** Where the API is reached from outside. */
export const apiBase = (env: Env, request: { url: string }): string =>
	env.vars.PUBLIC_URL ?? new URL(request.url).origin
