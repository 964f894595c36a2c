import { isAgeRecipient } from '../../edge/platform/tokens/age-recipient.ts'
import { type CorsRule, playback, uploads } from './cors.ts'

/** Resources that wrangler.toml names. */
export type Installation = {
	worker: string
	database: string
	/** Set if the resources were created elsewhere, for example by "Deploy to Cloudflare". */
	databaseId: string | undefined
	buckets: { vault: string; media: string }
	/** Includes dead-letter queues. */
	queues: string[]
}

/** Resources that exist. A missing bucket has no entry. */
export type Remote = {
	databaseId: string | undefined
	/** Names of each bucket's lifecycle rules. */
	buckets: Record<string, string[]>
	queues: string[]
	/** Names of the Worker's secrets; their values can't be read. */
	secrets: string[]
}

export const emptyRemote: Remote = { databaseId: undefined, buckets: {}, queues: [], secrets: [] }

export type Step =
	| { kind: 'wrangler'; title: string; args: string[]; harmless?: RegExp }
	| { kind: 'create-database'; title: string; name: string }
	| { kind: 'write-config'; title: string }
	| { kind: 'set-cors'; title: string; bucket: string; rules: CorsRule[] }
	| { kind: 'back-up'; title: string }
	| { kind: 'migrate-d1'; title: string }
	| { kind: 'migrate-libsql'; title: string }
	| { kind: 'set-secrets'; title: string; generated: string[]; passedOn: string[] }
	| { kind: 'deploy'; title: string }

/** Signing requires these secrets, so missing ones are generated. */
const requiredSecrets = ['AUTH_SECRET', 'FLEET_TOKEN']
const minLengths: Record<string, number> = {
	AUTH_SECRET: 32,
	AUTH_SECRET_PREVIOUS: 32,
	FLEET_TOKEN: 24,
	METRICS_TOKEN: 24,
}

/** Secrets. Their values are never printed or put on a command line. */
export const secretNames = [
	...requiredSecrets,
	'AUTH_SECRET_PREVIOUS',
	'METRICS_TOKEN',
	'SMTP_URL',
	'MAIL_API_URL',
	'MAIL_API_KEY',
	'S3_ENDPOINT',
	'S3_ACCESS_KEY_ID',
	'S3_SECRET_ACCESS_KEY',
	'S3_REGION',
	'LIBSQL_URL',
	'LIBSQL_AUTH_TOKEN',
	'STRIPE_SECRET_KEY',
	'STRIPE_WEBHOOK_SECRET',
	'TRANSCRIPTION_KEY',
]

/** Plain variables that differ between installations. An unset one keeps its deployed value. */
export const settingNames = [
	'PUBLIC_URL',
	'FRONTEND_URL',
	'PLAYER_URL',
	'LANDING_VIDEOS',
	'CORS_ORIGINS',
	'ALLOW_HTTP_URLS',
	'SECURITY_CONTACT',
	'REGISTRATION_ENABLED',
	'REGISTRATION_ALLOWED_DOMAINS',
	'DEFAULT_TIER',
	'ORGS_PER_PERSON',
	'INVITATIONS_PER_DAY',
	'COMMUNITY_BASE_DOMAIN',
	'DEFAULT_COMMUNITY',
	'DNS_RESOLVER_URL',
	'MAIL_FROM',
	'ACCOUNT_DELETION_NOTICES',
	'ERASURE_LEDGER_DAYS',
	'BACKUPS_ENABLED',
	'BACKUP_KEEP_DAYS',
	'BACKUP_RECIPIENT',
	'BACKUP_DRILL_DAYS',
	'BILLING_RETURN_URL',
	'BILLING_TRIAL_DAYS',
	'BILLING_TAX',
	'BILLING_METERS',
	'SUPERADMIN_SECOND_FACTOR',
	'LEASE_SECONDS',
	'ADOPT_VAULT',
	'TRANSCRIPTION_PROVIDER',
	'TRANSCRIPTION_BASE_URL',
	'TRANSCRIPTION_MODEL',
	'TRANSCRIPTION_MICROS_PER_MINUTE',
	'TRANSCRIPTION_SECONDS_PER_MONTH',
	'TRANSCRIPTION_MICROS_PER_MONTH',
	'LANGUAGE_MODEL_TOKENS_PER_MONTH',
	'LANGUAGE_MODEL_TOKENS_PER_ORG',
	'LANGUAGE_MODEL_MICROS_PER_MONTH',
	'LANGUAGE_MODEL_INPUT_MICROS',
	'LANGUAGE_MODEL_OUTPUT_MICROS',
]

export type DeployVariables = Readonly<Record<string, string | undefined>>

/** Cloudflare builds a repository on machines whose files are gone afterwards. */
export const isWorkersBuild = (variables: DeployVariables): boolean => variables.WORKERS_CI === '1'

/** An error that the operator must fix; only its message is printed. */
export class OperatorError extends Error {}

/** Returns the steps of a deployment in order. Each step can be repeated after a later one failed. */
export function planDeployment(
	installation: Installation,
	remote: Remote,
	variables: DeployVariables,
	{ withBackup = true }: { withBackup?: boolean } = {},
): Step[] {
	rejectShortSecrets(variables)
	rejectWrongRecipient(variables)
	const { worker, database, buckets, queues } = installation
	const names = Object.values(buckets)
	return [
		...(remote.databaseId ? [] : [createDatabase(database)]),
		...names.filter((name) => !remote.buckets[name]).map(createBucket),
		...queues.filter((name) => !remote.queues.includes(name)).map(createQueue),
		setCors(buckets.vault, uploads),
		setCors(buckets.media, playback),
		...names.filter((name) => !remote.buckets[name]?.includes(abandonedUploads)).map(abortAbandonedUploads),
		writeConfig(variables),
		...(withBackup ? backUp(remote, variables) : []),
		migrate(installation, remote, variables),
		...setSecrets(worker, remote, variables),
		{ kind: 'deploy', title: `deploy the Worker ${worker}` },
	]
}

function writeConfig(variables: DeployVariables): Step {
	const settings = settingNames.filter((name) => variables[name])
	const named = settings.length > 0 ? `, with ${settings.join(', ')}` : ''
	return { kind: 'write-config', title: `write the configuration for this account${named}` }
}

/** Found here, because the deployed Worker would refuse to start. */
function rejectWrongRecipient({ BACKUP_RECIPIENT: recipient }: DeployVariables): void {
	if (recipient && !isAgeRecipient(recipient))
		throw new OperatorError(
			'BACKUP_RECIPIENT must be a recipient of age: the public key that age-keygen prints, which begins with age1.',
		)
}

function rejectShortSecrets(variables: DeployVariables): void {
	for (const [name, length] of Object.entries(minLengths)) {
		const value = variables[name]
		if (value && value.length < length)
			throw new OperatorError(`${name} is too short; use at least ${length} characters.`)
	}
}

const createDatabase = (name: string): Step => ({
	kind: 'create-database',
	title: `create the D1 database ${name}`,
	name,
})

// The slower of two concurrent deployments finds that the resource exists.
const exists = /already exists|already taken/

const createBucket = (name: string): Step => ({
	kind: 'wrangler',
	title: `create the R2 bucket ${name}`,
	args: ['r2', 'bucket', 'create', name],
	harmless: exists,
})

const createQueue = (name: string): Step => ({
	kind: 'wrangler',
	title: `create the queue ${name}`,
	args: ['queues', 'create', name],
	harmless: exists,
})

const setCors = (bucket: string, rule: CorsRule): Step => ({
	kind: 'set-cors',
	title: `set the CORS rule ${rule.id} of the bucket ${bucket}`,
	bucket,
	rules: [rule],
})

const abandonedUploads = 'abandoned-uploads'

// Parts of an incomplete upload cost money but appear in no list. Paused uploads may continue for days, hence 7 days.
const abortAbandonedUploads = (bucket: string): Step => ({
	kind: 'wrangler',
	title: `abort uploads to ${bucket} after 7 days without completion`,
	args: [
		'r2',
		'bucket',
		'lifecycle',
		'add',
		bucket,
		abandonedUploads,
		'--abort-multipart-days',
		'7',
		'--force',
	],
})

/** Without AUTH_SECRET, this command has never deployed the Worker, which then can't encrypt a backup. */
function backUp(remote: Remote, variables: DeployVariables): Step[] {
	const hasDatabase = Boolean(remote.databaseId || variables.LIBSQL_URL)
	if (!hasDatabase || !remote.secrets.includes('AUTH_SECRET')) return []
	return [{ kind: 'back-up', title: 'back the database up, if migrations are pending' }]
}

function migrate({ database }: Installation, remote: Remote, variables: DeployVariables): Step {
	if (variables.LIBSQL_URL)
		return { kind: 'migrate-libsql', title: 'apply migrations to the libSQL database' }
	if (remote.secrets.includes('LIBSQL_URL'))
		throw new OperatorError(
			'The deployed Worker uses a libSQL database. Set LIBSQL_URL and LIBSQL_AUTH_TOKEN here too, so that its migrations can be applied. To return to D1, run: npx wrangler secret delete LIBSQL_URL',
		)
	return { kind: 'migrate-d1', title: `apply migrations to ${database}` }
}

function setSecrets(worker: string, remote: Remote, variables: DeployVariables): Step[] {
	// Machines need FLEET_TOKEN, so a value that nobody can read is useless.
	const generatable = isWorkersBuild(variables) ? ['AUTH_SECRET'] : requiredSecrets
	const generated = generatable.filter((name) => !variables[name] && !remote.secrets.includes(name))
	const passedOn = secretNames.filter((name) => variables[name])
	if (generated.length + passedOn.length === 0) return []
	const title = `set secrets of ${worker}: ${[...generated, ...passedOn].join(', ')}`
	return [{ kind: 'set-secrets', title, generated, passedOn }]
}
