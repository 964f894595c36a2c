import type { Env } from '../platform/env.ts'
import { AppError } from './errors.ts'

/** An allow-list of domains requires a mailbox there, so a session needs a verified address. */
export const mustVerifyAddress = (env: Env, person: { emailVerified: boolean }): boolean =>
	!person.emailVerified && env.vars.REGISTRATION_ALLOWED_DOMAINS.length > 0

export const unverifiedAddressError = () =>
	new AppError(
		'email_unverified',
		'verify your email address first: POST /v1/auth/email/verify/send sends a code to it',
	)
