import type { Env } from '../platform/env.ts'
import { AppError } from './errors.ts'

/** A list of mail domains means something only for people who read mail there: a session of anybody else opens nothing. */
export const mustVerifyAddress = (env: Env, person: { emailVerified: boolean }): boolean =>
	!person.emailVerified && env.vars.REGISTRATION_ALLOWED_DOMAINS.length > 0

export const unverifiedAddressError = () =>
	new AppError(
		'email_unverified',
		'verify your e-mail address first: POST /v1/auth/email/verify/send mails a code to it',
	)
