import { z } from 'zod'
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
import { operation } from '../kit/operation.ts'
import { OrgRole } from './roles.ts'

const tag = 'Auth'

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
		createdAt: Timestamp,
	})
	.meta({ id: 'User' })
export type User = z.infer<typeof User>

export const OrgRef = z.object({ id: OrgId, slug: z.string() }).meta({ id: 'OrgRef' })

/** The response to a successful sign-in. */
export const SignedIn = z
	.object({
		token: z
			.string()
			.meta({ description: 'Session JWT, valid for 24 hours; renew it with POST /v1/auth/refresh' }),
		expiresAt: Timestamp,
		user: User,
		org: OrgRef.nullable().meta({ description: 'null if the user belongs to no organization any more' }),
	})
	.meta({ id: 'SignedIn' })
export type SignedIn = z.infer<typeof SignedIn>

const SignedUp = SignedIn.extend({ org: OrgRef }).meta({ id: 'SignedUp' })

/** Failed sign-ins from a device that signed in to the account before are counted separately. */
const deviceTokenRequest = {
	headers: z.object({
		'X-Device-Token': z.string().optional().meta({
			description:
				'The value of this header in the response to an earlier sign-in to the account. It keeps this device out of the rate limit that other people’s failed sign-ins trigger. It does not authenticate by itself; browsers send it as a cookie.',
		}),
	}),
} as const
const deviceTokenResponse = {
	answerHeaders: z.object({
		'X-Device-Token': z.string().meta({
			description: 'Store it with the account and send it with the next sign-in; valid for 180 days',
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
	tag,
	summary: 'Create a user and a default organization',
	description:
		'The first user of an installation without a superadmin becomes its superadmin. A code is mailed to the email address; the address is unverified until the user sends the code to POST /v1/auth/email/verify or signs in with a code. `invitationToken`, which comes from an invitation email, verifies the address at once. If REGISTRATION_ALLOWED_DOMAINS is set, other operations return 403 `email_unverified` until then. Returns 403 if registration is closed or the mail domain is not allowed, unless `invitationToken` belongs to an open invitation to this address. Returns 409 if the address is taken.',
	auth: 'public',
	shield: 'credentials',
	...deviceTokenResponse,
	idempotent: true,
	body: z.object({ email: Email, password: NewPassword, name: PersonName, invitationToken }),
	status: 201,
	response: data(SignedUp),
	errors: ['registration_closed', 'conflict', 'not_configured', ...invitationErrors],
})

export const login = operation({
	id: 'login',
	method: 'post',
	path: '/v1/auth/login',
	tag,
	summary: 'Sign in with a password',
	description:
		'An unknown address and a wrong password get the same response in the same time. Wrong passwords delay further tries: for a network after 10, for an account after 20. Such a try gets 429 with `Retry-After`, at most 15 minutes. For a device that sends its `X-Device-Token`, only its own tries count.',
	auth: 'public',
	shield: 'credentials',
	...deviceTokenRequest,
	...deviceTokenResponse,
	body: z.object({ email: Email, password: Password }),
	status: 200,
	response: data(SignedIn),
	errors: ['unauthorized', 'not_configured'],
})

export const sendCode = operation({
	id: 'sendCode',
	method: 'post',
	path: '/v1/auth/otp/send',
	tag,
	summary: 'Email a six-digit sign-in code',
	description:
		'The response does not reveal whether the address has an account. A code is valid once, for 10 minutes, and only the newest code works. A network or a known device has 5 tries in 10 minutes; all unknown devices together have 15 tries per code. An address gets at most 1 code per minute, 5 per hour and 10 per day. One network may request 3 of these per hour and 5 per day; a known device has its own limits.',
	auth: 'public',
	shield: 'credentials',
	...deviceTokenRequest,
	body: z.object({ email: Email }),
	status: 200,
	response: data(z.object({ sent: z.literal(true) })),
	errors: ['not_configured'],
})

const Code = z.string().regex(/^\d{6}$/, 'must be six digits')

export const verifyCode = operation({
	id: 'verifyCode',
	method: 'post',
	path: '/v1/auth/otp/verify',
	tag,
	summary: 'Sign in with a code',
	description:
		'If the address of the account is unverified, the code verifies it and gives the account to the owner of the mailbox: existing password, other sessions, member tokens, calendar URLs and API keys stop working. In organizations that the account created, open invitations are revoked, API keys of other users stop working, and all other users become members.',
	auth: 'public',
	shield: 'credentials',
	...deviceTokenRequest,
	...deviceTokenResponse,
	body: z.object({ email: Email, code: Code }),
	status: 200,
	response: data(SignedIn),
	errors: ['unauthorized', 'no_account', 'not_configured'],
})

export const verifySignupCode = operation({
	id: 'verifySignupCode',
	method: 'post',
	path: '/v1/auth/otp/verify-signup',
	tag,
	summary: 'Sign up with a code instead of a password',
	description: 'Responds like signup. A wrong code uses up one of the tries and changes nothing else.',
	auth: 'public',
	shield: 'credentials',
	...deviceTokenResponse,
	body: z.object({ email: Email, code: Code, name: PersonName, invitationToken }),
	status: 201,
	response: data(SignedUp),
	errors: ['unauthorized', 'registration_closed', 'conflict', 'not_configured', ...invitationErrors],
})

export const sendVerification = operation({
	id: 'sendVerification',
	method: 'post',
	path: '/v1/auth/email/verify/send',
	tag,
	summary: 'Send another code to verify the email address',
	description:
		'Sign-up sends the first code. A code is valid once, for 10 minutes and 5 tries, and only the newest code works. At most 1 code per minute, 5 per hour and 10 per day. Returns 409 if the address is already verified.',
	auth: 'unverified-session',
	shield: 'credentials',
	status: 200,
	response: data(z.object({ sent: z.literal(true) })),
	errors: ['conflict'],
})

export const verifyEmail = operation({
	id: 'verifyEmail',
	method: 'post',
	path: '/v1/auth/email/verify',
	tag,
	summary: 'Verify the email address with an emailed code',
	description:
		'Password and sessions stay valid, since the holder of the session also reads the mail. Returns 403 for a wrong code and 409 if the address is already verified.',
	auth: 'unverified-session',
	shield: 'credentials',
	body: z.object({ code: Code }),
	status: 200,
	response: data(User),
	errors: ['forbidden', 'conflict'],
})

export const requestEmailChange = operation({
	id: 'requestEmailChange',
	method: 'post',
	path: '/v1/auth/email/change',
	tag,
	summary: 'Request a change of the email address',
	description:
		'Requires `currentPassword`, or a session that was opened with a code within the last 10 minutes. Sends one code to the new address and one to the current address, if that was ever verified. The response does not reveal whether the new address has an account. At most 1 request per minute, 5 per hour and 10 per day. Returns 403 if REGISTRATION_ALLOWED_DOMAINS does not contain the new mail domain.',
	auth: 'unverified-session',
	shield: 'credentials',
	body: z.object({ newEmail: Email, currentPassword: Password.optional() }),
	status: 200,
	response: data(z.object({ sent: z.literal(true) })),
	errors: ['forbidden', 'registration_closed'],
})

export const confirmEmailChange = operation({
	id: 'confirmEmailChange',
	method: 'post',
	path: '/v1/auth/email/change/confirm',
	tag,
	summary: 'Change the email address with the emailed codes',
	description:
		'`currentCode` may be omitted only if the current address was never verified. All other sessions and all tokens end; the response contains a new token. Open invitations to the former address are revoked.',
	auth: 'unverified-session',
	shield: 'credentials',
	body: z.object({ newEmail: Email, newCode: Code, currentCode: Code.optional() }),
	status: 200,
	response: data(SignedIn),
	errors: ['forbidden', 'conflict'],
})

export const switchOrg = operation({
	id: 'switchOrg',
	method: 'post',
	path: '/v1/auth/switch-org',
	tag,
	summary: 'Get a token for another organization of the user',
	auth: 'session',
	body: z.object({ orgId: OrgId }),
	status: 200,
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
		current: z.boolean(),
	})
	.meta({ id: 'Membership' })

const Me = z.object({ user: User, memberships: z.array(Membership), sessionId: SessionId })

export const getMe = operation({
	id: 'getMe',
	method: 'get',
	path: '/v1/auth/me',
	tag,
	summary: 'Get the signed-in user and their organizations',
	auth: 'session',
	status: 200,
	response: data(Me),
})

export const updateMe = operation({
	id: 'updateMe',
	method: 'patch',
	path: '/v1/auth/me',
	tag,
	summary: 'Change the name of the signed-in user',
	description:
		'Communities show the new name too, unless the user chose another one there with PUT /api/headless/v1/profile. That operation also sets an avatar. A user may change names 20 times a day, in the account and all communities together (429).',
	auth: 'session',
	body: z.object({ name: PersonName }),
	status: 200,
	response: data(Me),
	errors: ['not_configured'],
})

export const changePassword = operation({
	id: 'changePassword',
	method: 'post',
	path: '/v1/auth/change-password',
	tag,
	summary: 'Change the password and revoke all earlier tokens',
	description:
		'The response contains a new token, so the caller stays signed in; all other sessions end. To replace a forgotten password, sign in or call POST /v1/auth/reauthenticate with a code; `currentPassword` may then be omitted for 10 minutes. A first password must be set within the same period, else the response is 403 `reauthentication_required`.',
	auth: 'session',
	shield: 'credentials',
	...deviceTokenResponse,
	body: z.object({ currentPassword: Password.optional(), newPassword: NewPassword }),
	status: 200,
	response: data(SignedIn),
	errors: ['forbidden', 'reauthentication_required'],
})

export const reauthenticate = operation({
	id: 'reauthenticate',
	method: 'post',
	path: '/v1/auth/reauthenticate',
	tag,
	summary: 'Reauthenticate the user in the current session',
	description:
		'Takes the password, or a one-time code from POST /v1/auth/otp/send. For the next 10 minutes, as after signing in, the session may delete or export the account and set a first password. Otherwise these operations return 403 `reauthentication_required`.',
	auth: 'session',
	shield: 'credentials',
	body: z.union([z.strictObject({ password: Password }), z.strictObject({ code: Code })]),
	status: 200,
	response: data(z.object({ provedUntil: Timestamp })),
	errors: ['forbidden', 'not_configured'],
})

export const refreshToken = operation({
	id: 'refreshToken',
	method: 'post',
	path: '/v1/auth/refresh',
	tag,
	summary: 'Exchange a session token for a new one',
	description:
		'Takes the session token as a bearer token, even an expired one, while its session is valid. A session is valid until 30 days after its last refresh and at most 90 days after sign-in, unless it was signed out, revoked or ended by a password change. A token can be refreshed once. Another refresh within 60 seconds repeats the first one, for clients that lost the response. A later one ends the session, because two parties have the token. Tokens from switch-org count as the token that they were created from: refresh one of them, then switch with the new token.',
	auth: 'renewal',
	shield: 'credentials',
	status: 200,
	response: data(SignedIn),
	errors: ['unauthorized'],
})

export const Session = z
	.object({
		id: SessionId,
		createdAt: Timestamp,
		lastSeenAt: Timestamp,
		expiresAt: Timestamp,
		userAgent: z.string(),
		ip: z.string(),
		current: z.boolean(),
	})
	.meta({ id: 'Session' })

export const listSessions = operation({
	id: 'listSessions',
	method: 'get',
	path: '/v1/auth/sessions',
	tag,
	summary: 'List the sessions of the user, newest first',
	auth: 'session',
	status: 200,
	response: data(z.array(Session)),
})

export const revokeSession = operation({
	id: 'revokeSession',
	method: 'delete',
	path: '/v1/auth/sessions/{sessionId}',
	tag,
	summary: 'Revoke a session',
	auth: 'session',
	params: z.object({ sessionId: SessionId }),
	status: 200,
	response: data(z.object({ id: SessionId, revoked: z.literal(true) })),
	errors: ['not_found'],
})

export const logout = operation({
	id: 'logout',
	method: 'post',
	path: '/v1/auth/logout',
	tag,
	summary: 'Sign out the current session',
	auth: 'unverified-session',
	status: 200,
	response: data(z.object({ loggedOut: z.literal(true) })),
})
