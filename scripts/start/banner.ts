import { relative } from 'node:path'
import { ffmpegMissing } from '../lib/ffmpeg.ts'
import { defaultDataDirectory, type Settings } from '../lib/installation/settings.ts'
import { quoteForShell } from '../lib/shell-quoted.ts'
import type { Installation } from './installation.ts'

type State = Pick<
	Installation,
	'url' | 'hasUsers' | 'mailboxUrl' | 'isProduction' | 'programs' | 'startedInMs'
>

/** Returns the text that is printed after a start: the URL, sign-in and the unconfigured features. */
export function renderBanner(settings: Settings, state: State): string {
	const dataDir = relative(process.cwd(), settings.dataDir)
	const seed = `${seedEnvironment(settings)}npm run seed -- --url ${state.url}`
	return [
		'',
		`Playhouse is at ${state.url} (started in ${(state.startedInMs / 1000).toFixed(1)} s; data in ${dataDir.startsWith('..') ? settings.dataDir : dataDir})`,
		'',
		...signIn(state, seed),
		'',
		...addresses(state),
		'Ctrl-C stops everything.',
		'',
		...missing(settings, state),
		'',
	].join('\n')
}

function addresses({ url, mailboxUrl, isProduction }: State): string[] {
	const lines = [
		mailboxUrl &&
			`Mail: ${mailboxUrl} (codes and links, also printed here; whoever has this address reads them)`,
		!isProduction && `API reference: ${url}/reference`,
	]
	return lines.filter((line) => typeof line === 'string')
}

/** The seed finds the mailbox in the data directory. */
const seedEnvironment = ({ dataDir }: Settings): string =>
	dataDir === defaultDataDirectory ? '' : `DATA_DIR=${quoteForShell(dataDir)} `

function signIn({ url, hasUsers, isProduction }: State, seed: string): string[] {
	const [title, path, body] = hasUsers
		? ['Sign in:', 'login', { email: 'you@example.com', password: 'your-password' }]
		: [
				'No account yet. The first one becomes the superadmin:',
				'signup',
				{ email: 'you@example.com', password: 'correct-horse-battery', name: 'You' },
			]
	return [
		title,
		// One line, so that it can be copied as a whole.
		`  curl -X POST ${url}/v1/auth/${path} -H 'content-type: application/json' -d '${JSON.stringify(body)}'`,
		...(hasUsers || isProduction ? [] : ['Demo content, from another terminal:', `  ${seed}`]),
	]
}

function missing({ variables, withDaemon }: Settings, { programs, isProduction }: State): string[] {
	const mail = variables.SMTP_URL || variables.MAIL_API_URL
	const s3 = variables.S3_ENDPOINT && variables.S3_ACCESS_KEY_ID && variables.S3_SECRET_ACCESS_KEY
	const lines = [
		!mail &&
			`mail: ${isProduction ? 'not sent' : 'codes and links are printed here'} (SMTP_URL or MAIL_API_URL)`,
		!s3 && 'uploads and media: served by the Worker (S3_ENDPOINT, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY)',
		!withDaemon && 'transcoder: not started (--no-daemon)',
		withDaemon && !programs && `transcoder: not started; ${ffmpegMissing}`,
	].filter((line) => line !== false)
	return lines.length > 0
		? ['Not set up:', ...lines.map((line) => `  ${line}`)]
		: ['All features are set up.']
}
