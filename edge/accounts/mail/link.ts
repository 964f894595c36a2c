import { AppError } from '../../http/errors.ts'
import type { Env } from '../../platform/env.ts'

/** The address of `npm start`. Production has no fallback, because a guessed link would be dead. */
const LOCAL_ADDRESS = 'http://localhost:8787'

/** Returns the URL of a page. Mails are written outside requests, so the public address comes from the configuration. */
export const buildMailLink = ({ vars, isProduction }: Env, path: `/${string}=`, token: string): string =>
	linkUrl(vars.FRONTEND_URL ?? vars.PUBLIC_URL, isProduction, path, token)

/** Like `buildMailLink`, for paths that only the Worker serves. */
export const buildApiLink = ({ vars, isProduction }: Env, path: `/${string}=`, token: string): string =>
	linkUrl(vars.PUBLIC_URL ?? vars.FRONTEND_URL, isProduction, path, token)

function linkUrl(
	configuredUrl: string | undefined,
	isProduction: boolean,
	path: string,
	token: string,
): string {
	const base = configuredUrl ?? (isProduction ? null : LOCAL_ADDRESS)
	if (base === null)
		throw new AppError(
			'not_configured',
			'links in emails are not set up: FRONTEND_URL or PUBLIC_URL is missing',
		)
	return `${base}${path}${encodeURIComponent(token)}`
}
