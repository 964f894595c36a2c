import { AppError } from '../http/errors.ts'
import type { Env } from '../platform/env.ts'

/** Where the fallback leads is where `npm start` listens; in production a guess would be a dead link. */
const LOCAL_ADDRESS = 'http://localhost:8787'

/** An address of a page for a mail. Mails are made outside requests, so the installation has to say where it is reached. */
export const mailLink = ({ vars, isProduction }: Env, path: `/${string}=`, token: string): string =>
	addressOf(vars.FRONTEND_URL ?? vars.PUBLIC_URL, isProduction, path, token)

/** As `mailLink`, of what only the Worker itself answers. */
export const apiLink = ({ vars, isProduction }: Env, path: `/${string}=`, token: string): string =>
	addressOf(vars.PUBLIC_URL ?? vars.FRONTEND_URL, isProduction, path, token)

function addressOf(known: string | undefined, isProduction: boolean, path: string, token: string): string {
	const base = known ?? (isProduction ? null : LOCAL_ADDRESS)
	if (base === null)
		throw new AppError(
			'not_configured',
			'links in mails are not set up: FRONTEND_URL or PUBLIC_URL is missing',
		)
	return `${base}${path}${encodeURIComponent(token)}`
}
