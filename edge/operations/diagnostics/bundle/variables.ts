import { type Bindings, Variables } from '../../../platform/env.ts'

type Name = keyof Variables

/**
 * Which variables are shown with their values: switches, numbers and choices. Of the others, the bundle says only whether
 * they are set. A variable that is missing here doesn't compile.
 */
const isShown: Readonly<Record<Name, boolean>> = {
	ENVIRONMENT: true,
	AUTH_SECRET: false,
	AUTH_SECRET_PREVIOUS: false,
	PUBLIC_URL: false,
	FRONTEND_URL: false,
	PLAYER_URL: false,
	LANDING_VIDEOS: true,
	SECURITY_CONTACT: false,
	CORS_ORIGINS: false,
	ALLOW_HTTP_URLS: true,
	WEBHOOK_NETWORKS: false,
	REGISTRATION_ENABLED: true,
	REGISTRATION_ALLOWED_DOMAINS: false,
	SUPERADMIN_SECOND_FACTOR: true,
	DEFAULT_TIER: true,
	ORGS_PER_PERSON: true,
	INVITATIONS_PER_DAY: true,
	COMMUNITY_BASE_DOMAIN: false,
	DEFAULT_COMMUNITY: false,
	DNS_RESOLVER_URL: false,
	LIBSQL_URL: false,
	LIBSQL_AUTH_TOKEN: false,
	MAIL_FROM: false,
	SMTP_URL: false,
	MAIL_API_URL: false,
	MAIL_API_KEY: false,
	S3_ENDPOINT: false,
	S3_ACCESS_KEY_ID: false,
	S3_SECRET_ACCESS_KEY: false,
	S3_REGION: false,
	VAULT_BUCKET: false,
	MEDIA_BUCKET: false,
	ACCOUNT_DELETION_NOTICES: true,
	ERASURE_LEDGER_DAYS: true,
	BACKUPS_ENABLED: true,
	BACKUP_KEEP_DAYS: true,
	BACKUP_RECIPIENT: false,
	BACKUP_DRILL_DAYS: true,
	LEASE_SECONDS: true,
	TRANSCRIPTION_PROVIDER: true,
	TRANSCRIPTION_BASE_URL: false,
	TRANSCRIPTION_KEY: false,
	TRANSCRIPTION_MODEL: false,
	TRANSCRIPTION_MICROS_PER_MINUTE: true,
	TRANSCRIPTION_SECONDS_PER_MONTH: true,
	TRANSCRIPTION_MICROS_PER_MONTH: true,
	LANGUAGE_MODEL_TOKENS_PER_MONTH: true,
	LANGUAGE_MODEL_TOKENS_PER_ORG: true,
	LANGUAGE_MODEL_MICROS_PER_MONTH: true,
	LANGUAGE_MODEL_INPUT_MICROS: true,
	LANGUAGE_MODEL_OUTPUT_MICROS: true,
	STRIPE_SECRET_KEY: false,
	STRIPE_WEBHOOK_SECRET: false,
	BILLING_RETURN_URL: false,
	BILLING_TRIAL_DAYS: true,
	BILLING_TAX: true,
	BILLING_METERS: true,
	METRICS_TOKEN: false,
	ADOPT_VAULT: false,
	FLEET_TOKEN: false,
}

const names = Object.keys(Variables.shape) as Name[]

export const shownVariables: readonly Name[] = names.filter((name) => isShown[name])

export const viewVariables = (bindings: Bindings): Record<string, string> =>
	Object.fromEntries(names.map((name) => [name, viewVariable(name, bindings[name])]))

function viewVariable(name: Name, value: unknown): string {
	if (typeof value !== 'string' || value === '') return 'not set'
	return isShown[name] ? value : 'set'
}

/** Returns the values that must appear nowhere. */
export const listSecretValues = (bindings: Bindings): string[] =>
	names.flatMap((name) => {
		const value = bindings[name]
		return typeof value === 'string' && !isShown[name] ? [value] : []
	})

export const listBindingNames = (bindings: Bindings): string[] =>
	Object.keys(bindings)
		.filter((name) => typeof bindings[name] === 'object' && bindings[name] !== null)
		.toSorted()
