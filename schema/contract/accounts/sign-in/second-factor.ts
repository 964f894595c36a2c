import { z } from 'zod'
import { data, pathInt, Timestamp } from '../../kit/fields.ts'
import { unkeptProof } from '../../kit/idempotency-key.ts'
import { describeOperations } from '../../kit/operation.ts'
import { Code, deviceTokenRequest, deviceTokenResponse, SignedIn } from '../identity.ts'

const operation = describeOperations('Second factor')

export const RECOVERY_CODES = 10

export const RecoveryCodes = z.array(z.string()).meta({
	description: `${RECOVERY_CODES} codes, each of which replaces the second factor once. They are returned only here.`,
})

/** The recovery codes of a first factor; null if the account keeps earlier ones. */
export const NewRecoveryCodes = RecoveryCodes.nullable()

export const SecondFactor = z
	.object({
		since: Timestamp.nullable().meta({ description: 'null while the account has no second factor' }),
		totp: z.boolean().meta({ description: 'Whether an authenticator app is set up' }),
		passkeys: z.int().nonnegative(),
		recoveryCodesLeft: z.int().nonnegative(),
	})
	.meta({ id: 'SecondFactor' })
export type SecondFactor = z.infer<typeof SecondFactor>

export const getSecondFactor = operation({
	id: 'getSecondFactor',
	method: 'get',
	path: '/v1/auth/second-factor',
	summary: 'Get the second factors of the signed-in user',
	auth: 'session',
	response: data(SecondFactor),
})

export const verifySecondFactor = operation({
	id: 'verifySecondFactor',
	method: 'post',
	path: '/v1/auth/second-factor/verify',
	summary: 'Complete a sign-in with a second factor',
	description:
		'Takes the ticket from the header `X-Second-Factor-Ticket` of a 401 `second_factor_required`, with a code of the authenticator app or a recovery code. A ticket is valid for 5 minutes. Each code works once. An account has 5 wrong codes of its app in 10 minutes and 30 in a day, then this returns 429; recovery codes still work. Devices that send `X-Device-Token` or the cookie of an earlier sign-in are counted apart: each has 5 in 10 minutes, and all of them, with the open sessions, 30 in a day. To use a passkey instead, sign in with it alone: POST /v1/auth/passkeys/sign-in.',
	auth: 'public',
	audit: 'none: own account',
	idempotencyKey: unkeptProof,
	shield: 'credentials',
	...deviceTokenRequest,
	...deviceTokenResponse,
	body: z.union([
		z.object({ ticket: z.string().max(2048), totp: Code }),
		z.object({ ticket: z.string().max(2048), recoveryCode: z.string().min(1).max(40) }),
	]),
	signsIn: 'session',
	response: data(SignedIn),
	errors: ['unauthorized', 'account_locked', 'not_configured'],
})

export const beginTotp = operation({
	id: 'beginTotp',
	method: 'post',
	path: '/v1/auth/second-factor/totp',
	summary: 'Create a secret for an authenticator app',
	description:
		'Changes nothing until POST /v1/auth/second-factor/totp/confirm gets a code that the app made from the secret. The secret can be confirmed for 15 minutes, and a new one replaces it. Codes follow RFC 6238: SHA-1, 6 digits, 30 seconds. Needs a verified email address.',
	auth: 'session',
	audit: 'none: own account',
	shield: 'credentials',
	recentProof: true,
	status: 201,
	response: data(
		z.object({
			secret: z.string().meta({ description: 'Base32, to type into the app; returned only here' }),
			otpauthUrl: z.string().meta({ description: 'The same as an `otpauth:` URL, to show as a QR code' }),
			expiresAt: Timestamp,
		}),
	),
	errors: ['not_configured'],
})

export const confirmTotp = operation({
	id: 'confirmTotp',
	method: 'post',
	path: '/v1/auth/second-factor/totp/confirm',
	summary: 'Set up the authenticator app with its first code',
	description:
		'Replaces the former app. If the account had no second factor, this ends all other sessions and returns recovery codes.',
	auth: 'session',
	audit: 'none: own account',
	shield: 'credentials',
	recentProof: true,
	body: z.object({ code: Code }),
	response: data(z.object({ recoveryCodes: NewRecoveryCodes })),
	errors: ['not_configured', 'conflict'],
})

export const removeTotp = operation({
	id: 'removeTotp',
	method: 'delete',
	path: '/v1/auth/second-factor/totp',
	summary: 'Remove the authenticator app',
	description:
		'Without an app and passkeys, the account has no second factor, and its recovery codes stop working. Returns 409 for the last factor if an organization of the user, or the installation, requires one.',
	auth: 'session',
	audit: 'none: own account',
	recentProof: true,
	response: data(z.object({ deleted: z.literal(true) })),
	errors: ['not_found', 'conflict'],
})

export const replaceRecoveryCodes = operation({
	id: 'replaceRecoveryCodes',
	method: 'post',
	path: '/v1/auth/second-factor/recovery-codes',
	summary: 'Replace the recovery codes',
	description: 'All earlier codes stop working.',
	auth: 'session',
	audit: 'none: own account',
	recentProof: true,
	status: 201,
	response: data(z.object({ recoveryCodes: RecoveryCodes })),
	errors: ['conflict'],
})

export const resetSecondFactor = operation({
	id: 'resetSecondFactor',
	method: 'delete',
	path: '/v1/admin/users/{userId}/second-factor',
	tag: 'Operators',
	summary: 'Remove the second factors of a user who lost them',
	description:
		'Removes the authenticator app, passkeys and recovery codes, and ends every session and member token of the account. A password or a mailed code then signs in again. Make sure that the owner of the account asked for it.',
	auth: 'superadmin',
	audit: 'user.second_factor_reset',
	recentProof: true,
	params: z.object({ userId: pathInt }),
	response: data(z.object({ reset: z.literal(true) })),
})
