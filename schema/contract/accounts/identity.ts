import { z } from 'zod'
import { openToBrowsers } from '../kit/bodies/open-bodies.ts'
import {
	data,
	Email,
	NewPassword,
	OrgId,
	Password,
	PersonName,
	SessionId,
	Timestamp,
	UserId,
} from '../kit/fields.ts'
import { unkeptProof } from '../kit/idempotency-key.ts'
import { describeOperations } from '../kit/operation.ts'
import { OrgRole } from './roles.ts'
import { PasskeyAssertion } from './sign-in/webauthn.ts'

const operation = describeOperations('Auth')

export const User = z
	.object({
		id: UserId,
		email: z.string(),
		name: z.string(),
		isSuperadmin: z.boolean(),
		hasPassword: z.boolean(),
		emailVerified: z
			.boolean()
			.meta({ description: 'Whether the user has confirmed that they receive mail at `email`' }),
		hasSecondFactor: z
			.boolean()
			.meta({ description: 'Whether a password or a mailed code alone does not sign the user in' }),
		createdAt: Timestamp,
	})
	.meta({ id: 'User' })
export type User = z.infer<typeof User>

export const OrgRef = z.object({ id: OrgId, slug: z.string() }).meta({ id: 'OrgRef' })

/** The response to a successful sign-in. */
export const SignedIn = z
	.object({
		token: z.string().meta({
			description:
				'Session JWT, valid for 24 hours; renew it with POST /v1/auth/refresh. Empty for pages of the installation, which get a cookie.',
		}),
		expiresAt: Timestamp,
		user: User,
		org: OrgRef.nullable().meta({ description: 'null if the user belongs to no organization any more' }),
	})
	.meta({ id: 'SignedIn' })
export type SignedIn = z.infer<typeof SignedIn>

const SignedUp = SignedIn.extend({ org: OrgRef }).meta({ id: 'SignedUp' })

/** Failed sign-ins from a device that signed in to the account before are counted separately. */
export const deviceTokenRequest = {
	headers: z.object({
		'X-Device-Token': z.string().optional().meta({
			description:
				"The value of this header in the response to an earlier sign-in to the account. It keeps this device out of the rate limit that other people's failed sign-ins trigger. It does not authenticate by itself; browsers send it as a cookie.",
		}),
	}),
} as const
export const deviceTokenResponse = {
	answerHeaders: z.object({
		'X-Device-Token': z.string().meta({
			description: 'Store it with the account and send it with the next sign-in; valid for 180 days',
		}),
	}),
} as const

/** The first step of a sign-in returns a ticket if the account has a second factor. */
const firstStepResponse = {
	answerHeaders: deviceTokenResponse.answerHeaders.extend({
		'X-Second-Factor-Ticket': z.string().optional().meta({
			description:
				'With 401 `second_factor_required`: send it to POST /v1/auth/second-factor/verify. It is valid for 5 minutes and is no credential by itself.',
		}),
	}),
} as const

/** Lets an invited person sign up while registration is closed. */
const invitationToken = z.string().max(64).optional()
const invitationErrors = ['not_found', 'plan_limit', 'org_suspended'] as const

export const signup = operation({
	id: 'signup',
	method: 'post',
	path: '/v1/auth/signup',
	summary: 'Create a user and a default organization',
	description:
		'The first user of an installation without a superadmin becomes its superadmin. A code is mailed to the email address; the address is unverified until the user sends the code to POST /v1/auth/email/verify or signs in with a code. `invitationToken`, which comes from an invitation email, verifies the address at once. If REGISTRATION_ALLOWED_DOMAINS is set, other operations return 403 `email_unverified` until then. Returns 403 if registration is closed or the mail domain is not allowed, unless `invitationToken` belongs to an open invitation to this address. Returns 409 if the address is taken.',
	auth: 'public',
	audit: ['org.created', 'superadmin.granted', 'member.joined', 'community_member.joined'],
	shield: 'credentials',
	...deviceTokenResponse,
	body: z.object({ email: Email, password: NewPassword, name: PersonName, invitationToken }),
	status: 201,
	signsIn: 'session',
	response: data(SignedUp),
	errors: ['registration_closed', 'conflict', 'not_configured', ...invitationErrors],
})

export const login = operation({
	id: 'login',
	method: 'post',
	path: '/v1/auth/login',
	summary: 'Sign in with a password',
	description:
		'An unknown address and a wrong password get the same response in the same time. Wrong passwords delay further tries: for a network after 10, for an account after 20. Such a try gets 429 with `Retry-After`, at most 15 minutes. For a device that sends its `X-Device-Token`, only its own tries count. If the account has a second factor, the right password gets 401 `second_factor_required` with a ticket.',
	auth: 'public',
	audit: 'none: own account',
	idempotencyKey: unkeptProof,
	shield: 'credentials',
	...deviceTokenRequest,
	...firstStepResponse,
	body: z.object({ email: Email, password: Password }),
	signsIn: 'session',
	response: data(SignedIn),
	errors: ['unauthorized', 'second_factor_required', 'account_locked', 'not_configured'],
})

export const sendCode = operation({
	id: 'sendCode',
	method: 'post',
	path: '/v1/auth/otp/send',
	summary: 'Email a six-digit sign-in code',
	description:
		'The response does not reveal whether the address has an account. A code is valid once, for 10 minutes, and only the newest code works. A network or a known device has 5 tries in 10 minutes; all unknown devices together have 15 tries per code. An address gets at most 1 code per minute, 5 per hour and 10 per day. One network may request 3 of these per hour and 5 per day; a known device has its own limits.',
	auth: 'public',
	audit: 'none: own account',
	shield: 'credentials',
	...deviceTokenRequest,
	body: z.object({ email: Email }),
	response: data(z.object({ sent: z.literal(true) })),
	errors: ['not_configured'],
})

export const Code = z.string().regex(/^\d{6}$/, 'must be six digits')

export const verifyCode = operation({
	id: 'verifyCode',
	method: 'post',
	path: '/v1/auth/otp/verify',
	summary: 'Sign in with a code',
	description:
		'If the address of the account is unverified, the code verifies it and gives the account to the owner of the mailbox: existing password, other sessions, member tokens, calendar URLs and API keys stop working. In organizations that the account created, open invitations are revoked, API keys of other users stop working, and all other users become members. If the account has a second factor, the right code gets 401 `second_factor_required` with a ticket.',
	auth: 'public',
	audit: ['member.role_changed', 'community_member.updated'],
	idempotencyKey: unkeptProof,
	shield: 'credentials',
	...deviceTokenRequest,
	...firstStepResponse,
	body: z.object({ email: Email, code: Code }),
	signsIn: 'session',
	response: data(SignedIn),
	errors: ['unauthorized', 'second_factor_required', 'account_locked', 'no_account', 'not_configured'],
})

export const verifySignupCode = operation({
	id: 'verifySignupCode',
	method: 'post',
	path: '/v1/auth/otp/verify-signup',
	summary: 'Sign up with a code instead of a password',
	description: 'Responds like signup. A wrong code uses up one of the tries and changes nothing else.',
	auth: 'public',
	audit: ['org.created', 'superadmin.granted', 'member.joined', 'community_member.joined'],
	idempotencyKey: unkeptProof,
	shield: 'credentials',
	...deviceTokenResponse,
	body: z.object({ email: Email, code: Code, name: PersonName, invitationToken }),
	status: 201,
	signsIn: 'session',
	response: data(SignedUp),
	errors: ['unauthorized', 'registration_closed', 'conflict', 'not_configured', ...invitationErrors],
})

export const switchOrg = operation({
	id: 'switchOrg',
	method: 'post',
	path: '/v1/auth/switch-org',
	summary: 'Get a token for another organization of the user',
	auth: 'session',
	audit: 'none: own account',
	body: z.object({ orgId: OrgId }),
	signsIn: 'session',
	response: data(SignedUp),
	errors: ['not_found', 'org_suspended'],
})

export const Membership = z
	.object({
		orgId: OrgId,
		slug: z.string(),
		name: z.string(),
		role: OrgRole,
		suspended: z.boolean(),
		secondFactorRequired: z.boolean(),
		current: z.boolean(),
	})
	.meta({ id: 'Membership' })

const Me = z.object({
	user: User,
	memberships: z.array(Membership),
	sessionId: SessionId,
	impersonation: z
		.object({
			by: z.object({ userId: UserId, email: z.string() }),
			write: z.boolean(),
			reason: z.string(),
			expiresAt: Timestamp,
		})
		.nullable()
		.meta({ description: 'The superadmin who acts as the user; null for the user themself' }),
})

export const getMe = operation({
	id: 'getMe',
	method: 'get',
	path: '/v1/auth/me',
	summary: 'Get the signed-in user and their organizations',
	auth: 'session',
	impersonation: 'read',
	response: data(Me),
})

export const updateMe = operation({
	id: 'updateMe',
	method: 'patch',
	path: '/v1/auth/me',
	summary: 'Change the name of the signed-in user',
	description:
		'Communities show the new name too, unless the user chose another one there with PUT /api/headless/v1/profile. That operation also sets an avatar. A user may change names 20 times a day, in the account and all communities together (429).',
	auth: 'session',
	audit: 'none: own account',
	body: z.object({ name: PersonName }),
	response: data(Me),
	errors: ['not_configured'],
})

export const changePassword = operation({
	id: 'changePassword',
	method: 'post',
	path: '/v1/auth/change-password',
	summary: 'Change the password and revoke all earlier tokens',
	description:
		'The response contains a new token, so the caller stays signed in; all other sessions end. To replace a forgotten password, sign in or call POST /v1/auth/reauthenticate with a code; `currentPassword` may then be omitted for 10 minutes. A first password must be set within the same period, else the response is 403 `reauthentication_required`.',
	auth: 'session',
	audit: 'none: own account',
	shield: 'credentials',
	...deviceTokenResponse,
	body: z.object({ currentPassword: Password.optional(), newPassword: NewPassword }),
	signsIn: 'session',
	response: data(SignedIn),
	errors: ['forbidden', 'reauthentication_required'],
})

export const reauthenticate = operation({
	id: 'reauthenticate',
	method: 'post',
	path: '/v1/auth/reauthenticate',
	summary: 'Reauthenticate the user in the current session',
	description:
		'Takes the password, a one-time code from POST /v1/auth/otp/send, a code of the authenticator app, or a passkey (POST /v1/auth/passkeys/sign-in-options). For the next 10 minutes, as after signing in, the session may call operations that need a recent proof, such as the deletion of the account. Otherwise these return 403 `reauthentication_required`. An account with a second factor needs that one: its password or a mailed code is accepted only within 10 minutes after it.',
	auth: 'session',
	audit: 'none: own account',
	idempotencyKey: unkeptProof,
	openBody: openToBrowsers('passkey'),
	shield: 'credentials',
	body: z.union([
		z.object({ password: Password }),
		z.object({ code: Code }),
		z.object({ totp: Code }),
		z.object({ passkey: PasskeyAssertion }),
	]),
	response: data(z.object({ provedUntil: Timestamp })),
	errors: ['forbidden', 'reauthentication_required', 'not_configured'],
})
