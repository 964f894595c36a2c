import { relative } from 'node:path'
import type { Programs } from '../../transcoder-daemon/ffmpeg/binary.ts'
import { ffmpegMissing } from '../ffmpeg.ts'
import type { Settings } from './settings.ts'

type State = {
	url: string
	hasUsers: boolean
	programs: Programs | undefined
	startedInMs: number
}

/** What someone who has just started Playhouse wants to know. */
export function banner(settings: Settings, state: State): string {
	const place = relative(process.cwd(), settings.dataDir)
	return [
		'',
		`Playhouse is at ${state.url} (started in ${(state.startedInMs / 1000).toFixed(1)} s; data in ${place.startsWith('..') ? settings.dataDir : place})`,
		'',
		...signIn(state),
		'',
		...missing(settings, state),
		'',
		'Ctrl-C stops everything.',
		'',
	].join('\n')
}

function signIn({ url, hasUsers }: State): string[] {
	const [title, path, body] = hasUsers
		? ['Sign in:', 'login', { email: 'you@example.com', password: 'your-password' }]
		: [
				'Nobody has signed up yet. The first account owns the installation (superadmin):',
				'signup',
				{ email: 'you@example.com', password: 'correct-horse-battery', name: 'You' },
			]
	return [
		title,
		`  curl -X POST ${url}/v1/auth/${path} -H 'content-type: application/json' \\`,
		`    -d '${JSON.stringify(body)}'`,
	]
}

function missing({ variables, withDaemon }: Settings, { programs }: State): string[] {
	const mail = variables.SMTP_URL || variables.MAIL_API_URL
	const s3 = variables.S3_ENDPOINT && variables.S3_ACCESS_KEY_ID && variables.S3_SECRET_ACCESS_KEY
	const lines = [
		!mail && 'mail: codes and links are printed here (SMTP_URL or MAIL_API_URL)',
		!s3 &&
			'uploads and media: through the Worker itself (S3_ENDPOINT, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY)',
		!withDaemon && 'transcoder: left out (--no-daemon)',
		withDaemon && !programs && `transcoder: not started; ${ffmpegMissing}`,
	].filter((line) => line !== false)
	return lines.length > 0 ? ['Not set up:', ...lines.map((line) => `  ${line}`)] : ['Everything is set up.']
}
