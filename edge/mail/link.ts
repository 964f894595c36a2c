import { AppError } from '../http/errors.ts'
import type { Env } from '../platform/env.ts'

/** Where the fallback leads is where `npm start` listens; in production a guess would be a dead link. */
const LOCAL_ADDRESS = 'http://localhost:8787'

/** An address for a mail. Mails are made outside requests, so the installation has to say where it is reached. */
export function mailLink(env: Env, path: `/${string}=`, token: string): string {
	const base = env.vars.FRONTEND_URL ?? env.vars.PUBLIC_URL ?? (env.isProduction ? null : LOCAL_ADDRESS)
	if (base === null)
		throw new AppError(
			'not_configured',
			'links in mails are not set up: FRONTEND_URL or PUBLIC_URL is missing',
		)
	return `${base}${path}${encodeURIComponent(token)}`
}
