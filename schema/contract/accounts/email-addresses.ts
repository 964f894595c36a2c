import { z } from 'zod'
import { data, Email, Password } from '../kit/fields.ts'
import { describeOperations } from '../kit/operation.ts'
import { Code, SignedIn, User } from './identity.ts'

const operation = describeOperations('Auth')

export const sendVerification = operation({
	id: 'sendVerification',
	method: 'post',
	path: '/v1/auth/email/verify/send',
	summary: 'Send another code to verify the email address',
	description:
		'Sign-up sends the first code. A code is valid once, for 10 minutes and 5 tries, and only the newest code works. At most 1 code per minute, 5 per hour and 10 per day. Returns 409 if the address is already verified.',
	auth: 'unverified-session',
	audit: 'none: own account',
	shield: 'credentials',
	response: data(z.object({ sent: z.literal(true) })),
	errors: ['conflict'],
})

export const verifyEmail = operation({
	id: 'verifyEmail',
	method: 'post',
	path: '/v1/auth/email/verify',
	summary: 'Verify the email address with an emailed code',
	description:
		'Password and sessions stay valid, since the holder of the session also reads the mail. Returns 403 for a wrong code and 409 if the address is already verified.',
	auth: 'unverified-session',
	audit: 'none: own account',
	shield: 'credentials',
	body: z.object({ code: Code }),
	response: data(User),
	errors: ['forbidden', 'conflict'],
})

export const requestEmailChange = operation({
	id: 'requestEmailChange',
	method: 'post',
	path: '/v1/auth/email/change',
	summary: 'Request a change of the email address',
	description:
		'Requires `currentPassword`, or a session that was opened with a code within the last 10 minutes. Sends one code to the new address and one to the current address, if that was ever verified. The response does not reveal whether the new address has an account. At most 1 request per minute, 5 per hour and 10 per day. Returns 403 if REGISTRATION_ALLOWED_DOMAINS does not contain the new mail domain.',
	auth: 'unverified-session',
	audit: 'none: own account',
	shield: 'credentials',
	body: z.object({ newEmail: Email, currentPassword: Password.optional() }),
	response: data(z.object({ sent: z.literal(true) })),
	errors: ['forbidden', 'registration_closed', 'reauthentication_required'],
})

export const confirmEmailChange = operation({
	id: 'confirmEmailChange',
	method: 'post',
	path: '/v1/auth/email/change/confirm',
	summary: 'Change the email address with the emailed codes',
	description:
		'`currentCode` may be omitted only if the current address was never verified. All other sessions and all tokens end; the response contains a new token. Open invitations to the former address are revoked.',
	auth: 'unverified-session',
	audit: 'none: own account',
	shield: 'credentials',
	body: z.object({ newEmail: Email, newCode: Code, currentCode: Code.optional() }),
	signsIn: 'session',
	response: data(SignedIn),
	errors: ['forbidden', 'conflict'],
})
