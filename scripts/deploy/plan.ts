import { type CorsRule, playback, uploads } from './cors.ts'

/** What wrangler.toml names. */
export type Installation = {
	worker: string
	database: string
	buckets: { vault: string; media: string }
	/** Dead-letter queues included. */
	queues: string[]
}

/** What is there already. A bucket that is missing has no entry. */
export type Remote = {
	databaseId: string | undefined
	/** Names of the lifecycle rules of each bucket. */
	buckets: Record<string, string[]>
	queues: string[]
	/** Names of the Worker's secrets; nobody can read their values back. */
	secrets: string[]
}

export const nothingYet: Remote = { databaseId: undefined, buckets: {}, queues: [], secrets: [] }

export type Step =
	| { kind: 'wrangler'; title: string; args: string[]; harmless?: RegExp }
	| { kind: 'create-database'; title: string; name: string }
	| { kind: 'write-config'; title: string }
	| { kind: 'set-cors'; title: string; bucket: string; rules: CorsRule[] }
	| { kind: 'migrate-d1'; title: string; database: string }
	| { kind: 'migrate-libsql'; title: string }
	| { kind: 'set-secrets'; title: string; made: string[]; given: string[] }
	| { kind: 'deploy'; title: string }

/** Without these nothing that signs works, so they are made where nobody gave them. */
const needed = ['AUTH_SECRET', 'FLEET_TOKEN']
const shortest: Record<string, number> = { AUTH_SECRET: 32, AUTH_SECRET_PREVIOUS: 32, FLEET_TOKEN: 24 }

/** Nothing of these is ever printed or put on a command line. */
export const secretNames = [
	...needed,
	'AUTH_SECRET_PREVIOUS',
	'SMTP_URL',
	'MAIL_API_URL',
	'MAIL_API_KEY',
	'S3_ENDPOINT',
	'S3_ACCESS_KEY_ID',
	'S3_SECRET_ACCESS_KEY',
	'S3_REGION',
	'LIBSQL_URL',
	'LIBSQL_AUTH_TOKEN',
]

/** Plain variables that differ between installations. What is not given stays as the last deployment left it. */
export const settingNames = [
	'PUBLIC_URL',
	'FRONTEND_URL',
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
]

export type Given = Readonly<Record<string, string | undefined>>

/** Something that only the operator can put right; its message is all there is to say. */
export class OperatorError extends Error {}

/** Everything a deployment does, in order. Each step may be taken again after one behind it failed. */
export function planDeployment(installation: Installation, remote: Remote, given: Given): Step[] {
	refuseShortSecrets(given)
	const { worker, database, buckets, queues } = installation
	const names = Object.values(buckets)
	return [
		...(remote.databaseId ? [] : [createDatabase(database)]),
		...names.filter((name) => !remote.buckets[name]).map(createBucket),
		...queues.filter((name) => !remote.queues.includes(name)).map(createQueue),
		setCors(buckets.vault, uploads),
		setCors(buckets.media, playback),
		...names.filter((name) => !remote.buckets[name]?.includes(abandonedUploads)).map(abortAbandonedUploads),
		writeConfig(given),
		migrate(installation, remote, given),
		...setSecrets(worker, remote, given),
		{ kind: 'deploy', title: `deploy the Worker ${worker}` },
	]
}

function writeConfig(given: Given): Step {
	const settings = settingNames.filter((name) => given[name])
	const named = settings.length > 0 ? `, with ${settings.join(', ')}` : ''
	return { kind: 'write-config', title: `write the configuration for this account${named}` }
}

function refuseShortSecrets(given: Given): void {
	for (const [name, length] of Object.entries(shortest)) {
		const value = given[name]
		if (value && value.length < length)
			throw new OperatorError(`${name} needs at least ${length} characters.`)
	}
}

const createDatabase = (name: string): Step => ({
	kind: 'create-database',
	title: `create the D1 database ${name}`,
	name,
})

// Of two that deploy at once, the later one finds what it wanted to make.
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
	title: `let browsers reach the bucket ${bucket} (${rule.id})`,
	bucket,
	rules: [rule],
})

const abandonedUploads = 'abandoned-uploads'

// Parts of an upload that never ends are paid for but seen nowhere. An upload may rest for some days before it goes on.
const abortAbandonedUploads = (bucket: string): Step => ({
	kind: 'wrangler',
	title: `drop uploads to ${bucket} that were abandoned for 7 days`,
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

function migrate({ database }: Installation, remote: Remote, given: Given): Step {
	if (given.LIBSQL_URL)
		return { kind: 'migrate-libsql', title: 'bring the tables of the libSQL database up to date' }
	if (remote.secrets.includes('LIBSQL_URL'))
		throw new OperatorError(
			'The deployed Worker uses a libSQL database. Set LIBSQL_URL and LIBSQL_AUTH_TOKEN here as well, so that its tables can be brought up to date; or go back to D1 with: npx wrangler secret delete LIBSQL_URL',
		)
	return { kind: 'migrate-d1', title: `bring the tables of ${database} up to date`, database }
}

function setSecrets(worker: string, remote: Remote, given: Given): Step[] {
	const made = needed.filter((name) => !given[name] && !remote.secrets.includes(name))
	const passedOn = secretNames.filter((name) => given[name])
	if (made.length + passedOn.length === 0) return []
	const title = `set secrets of ${worker}: ${[...made, ...passedOn].join(', ')}`
	return [{ kind: 'set-secrets', title, made, given: passedOn }]
}
