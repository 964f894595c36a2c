import { AppError } from './errors.ts'

export const unverifiedAddressError = () =>
	new AppError(
		'email_unverified',
		'verify your e-mail address first: POST /v1/auth/email/verify/send mails a code to it',
	)
