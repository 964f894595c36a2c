import { Variables } from '../../../edge/platform/env.ts'

/** The first variable of each subject, in the order of edge/platform/env.ts. */
const subjects: readonly (readonly [subject: string, first: keyof Variables])[] = [
	['Addresses and keys', 'ENVIRONMENT'],
	['Other sites and networks', 'CORS_ORIGINS'],
	['Accounts', 'REGISTRATION_ENABLED'],
	['Communities', 'COMMUNITY_BASE_DOMAIN'],
	['Database', 'LIBSQL_URL'],
	['Mail', 'MAIL_FROM'],
	['Storage', 'S3_ENDPOINT'],
	['Deletion and backups', 'ACCOUNT_DELETION_NOTICES'],
	['Transcoding', 'LEASE_SECONDS'],
	['Speech and language models', 'TRANSCRIPTION_PROVIDER'],
	['Billing', 'STRIPE_SECRET_KEY'],
	['Metrics and machines', 'METRICS_TOKEN'],
]
const COLUMNS = 100

/** Lists the variables of the Worker by subject, in lines that fit a terminal. */
export function listVariables(): string {
	const names = Object.keys(Variables.shape)
	const starts = subjects.map(([, first]) => names.indexOf(first))
	return subjects
		.map(([subject], at) => [`  ${subject}:`, ...wrapped(names.slice(starts[at], starts[at + 1]))].join('\n'))
		.join('\n')
}

function wrapped(names: readonly string[]): string[] {
	const lines: string[] = []
	for (const name of names) {
		const last = lines.at(-1)
		if (last === undefined || last.length + name.length + 2 > COLUMNS) lines.push(`    ${name}`)
		else lines[lines.length - 1] = `${last}, ${name}`
	}
	return lines
}
