import { z } from 'zod'
import {
	data,
	Email,
	GivenPassword,
	NewPassword,
	OrgId,
	PersonName,
	SessionId,
	Timestamp,
	UserId,
} from './fields.ts'
import { operation } from './operation.ts'
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
			.meta({ description: 'Whether the person showed that they read mail sent to `email`' }),
		createdAt: Timestamp,
	})
	.meta({ id: 'User' })
export type User = z.infer<typeof User>

export const OrgRef = z.object({ id: OrgId, slug: z.string() }).meta({ id: 'OrgRef' })

/** What a person gets who has just proved who they are. */
export const SignedIn = z
	.object({
		token: z.string().meta({ description: 'Session JWT, valid 24 h; renew it with POST /v1/auth/refresh' }),
		expiresAt: Timestamp,
		user: User,
		org: OrgRef.nullable().meta({ description: 'null when the person belongs to no organization any more' }),
	})
	.meta({ id: 'SignedIn' })
export type SignedIn = z.infer<typeof SignedIn>

const SignedUp = SignedIn.extend({ org: OrgRef }).meta({ id: 'SignedUp' })

/** Of a device that signed in to the account before: its tries are counted apart from those of strangers. */
const fromDevice = {
	headers: z.object({
		'X-Device-Token': z.string().optional().meta({
			description:
				'What an earlier sign-in to this account answered in the same header. Strangers who guess at the account then slow down only each other, not this device. Opens nothing by itself; browsers have it as a cookie.',
		}),
	}),
} as const
const toDevice = {
	answerHeaders: z.object({
		'X-Device-Token': z.string().meta({
			description: 'Keep it with the account and send it along with the next sign-in; good for 180 days',
		}),
	}),
} as const

/** A person invited by mail may sign up even where registration is closed. */
const invitationToken = z.string().max(64).optional()
const invitationErrors = ['not_found', 'plan_limit', 'org_suspended'] as const

export const signup = operation({
	id: 'signup',
	method: 'post',
	path: '/v1/auth/signup',
	tag,
	summary: 'Create a user and a default organization',
	description:
		'Whoever signs up while the installation has no superadmin, as at its very beginning, becomes one. The address is unverified until its owner enters the code that is mailed to it at POST /v1/auth/email/verify, or signs in with a code; `invitationToken`, which was mailed to it, verifies it at once. Where REGISTRATION_ALLOWED_DOMAINS is set, the token opens nothing else before that (403, `email_unverified`). 403 when registration is closed or the mail domain is not allowed, unless `invitationToken` names an open invitation to this address; 409 when the address is taken.',
	auth: 'public',
	shield: 'credentials',
	...toDevice,
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
		'Unknown address and wrong password answer alike, in the same time. Wrong passwords slow down the next tries, of a network after 10, of all strangers to the account after 20: 429 with `Retry-After`, 15 minutes at most. A device that shows its `X-Device-Token` waits for its own tries only.',
	auth: 'public',
	shield: 'credentials',
	...fromDevice,
	...toDevice,
	body: z.object({ email: Email, password: GivenPassword }),
	status: 200,
	response: data(SignedIn),
	errors: ['unauthorized', 'not_configured'],
})

export const sendCode = operation({
	id: 'sendCode',
	method: 'post',
	path: '/v1/auth/otp/send',
	tag,
	summary: 'Send a six-digit code by mail',
	description:
		'The answer never tells whether the address is known. A code is valid for 10 minutes, once, and only the newest one counts. A network or a known device has 5 tries in 10 minutes, all strangers together 15 for a code. At most 1 per minute, 5 per hour and 10 per day for an address, of which one network may ask for 3 per hour and 5 per day; a known device has limits of its own.',
	auth: 'public',
	shield: 'credentials',
	...fromDevice,
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
		'The first code of an account whose address is unverified verifies it and hands the account to whoever reads its mail: password, other sessions, member tokens, calendar addresses and API keys made until then stop working. In organizations that the account made, open invitations are withdrawn, the keys of others end too, and everybody else becomes a plain member.',
	auth: 'public',
	shield: 'credentials',
	...fromDevice,
	...toDevice,
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
	description: 'Answers as signup does. A wrong code leaves it untouched but for one of its tries.',
	auth: 'public',
	shield: 'credentials',
	...toDevice,
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
	summary: 'Send another code that verifies the address of the account',
	description:
		'Signing up sends the first one. A code is valid for 10 minutes, once, for 5 tries, and only the newest one counts. At most 1 per minute, 5 per hour and 10 per day. 409 when the address is verified already.',
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
	summary: 'Verify the address of the account with a mailed code',
	description:
		'Password and sessions stay: who holds a session and reads the mail is the same person. 403 for a wrong code; 409 when the address is verified already.',
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
	summary: 'Request a change of the e-mail address',
	description:
		'Takes `currentPassword`, or a session that was opened with a code within the last 10 minutes. Sends one code to the new address and one to the present address (if that was ever verified). The answer never tells whether the new address has an account. At most 1 per minute, 5 per hour and 10 per day. 403 when REGISTRATION_ALLOWED_DOMAINS does not hold the new mail domain.',
	auth: 'unverified-session',
	shield: 'credentials',
	body: z.object({ newEmail: Email, currentPassword: GivenPassword.optional() }),
	status: 200,
	response: data(z.object({ sent: z.literal(true) })),
	errors: ['forbidden', 'registration_closed'],
})

export const confirmEmailChange = operation({
	id: 'confirmEmailChange',
	method: 'post',
	path: '/v1/auth/email/change/confirm',
	tag,
	summary: 'Change the e-mail address with the codes that were sent',
	description:
		'`currentCode` may be left out only where the present address was never verified. All other sessions and all tokens end; the answer carries a new token. Open invitations to the former address are withdrawn.',
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
	summary: 'A new token for another organization of the same person',
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

export const getMe = operation({
	id: 'getMe',
	method: 'get',
	path: '/v1/auth/me',
	tag,
	summary: 'The signed-in person and their organizations',
	auth: 'session',
	status: 200,
	response: data(z.object({ user: User, memberships: z.array(Membership), sessionId: SessionId })),
})

export const changePassword = operation({
	id: 'changePassword',
	method: 'post',
	path: '/v1/auth/change-password',
	tag,
	summary: 'Change the password; every token given out before stops working',
	description:
		'The answer carries a new token, so the caller stays signed in; all other sessions end. `currentPassword` may be left out within 10 minutes of signing in, or of POST /v1/auth/reauthenticate, with a code: so a forgotten password is replaced. Whoever has no password yet sets the first one in that time as well, else 403 `reauthentication_required`.',
	auth: 'session',
	shield: 'credentials',
	...toDevice,
	body: z.object({ currentPassword: GivenPassword.optional(), newPassword: NewPassword }),
	status: 200,
	response: data(SignedIn),
	errors: ['forbidden', 'reauthentication_required'],
})

export const reauthenticate = operation({
	id: 'reauthenticate',
	method: 'post',
	path: '/v1/auth/reauthenticate',
	tag,
	summary: 'Reauthenticate in the current session',
	description:
		'Takes the password, or a one-time code that POST /v1/auth/otp/send has mailed. For 10 minutes after it, as after signing in, the session may delete or export the account and set a first password; other sessions get 403 `reauthentication_required` there.',
	auth: 'session',
	shield: 'credentials',
	body: z.union([z.strictObject({ password: GivenPassword }), z.strictObject({ code: Code })]),
	status: 200,
	response: data(z.object({ provedUntil: Timestamp })),
	errors: ['forbidden', 'not_configured'],
})

export const refreshToken = operation({
	id: 'refreshToken',
	method: 'post',
	path: '/v1/auth/refresh',
	tag,
	summary: 'A fresh token for a living session',
	description:
		'Takes the session token as bearer, also an expired one, as long as its session lives: until 30 days after its last refresh and at most 90 days after signing in, unless signed out, revoked or ended by a change of password. A token can be refreshed once. Refreshing it again within 60 seconds continues the same refresh, for clients that lost the answer; later, it ends the session, since two parties hold it. Tokens from switch-org count as the token they were made from: refresh one of them, then switch with the new token.',
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
	summary: 'Where the person is signed in, newest first',
	auth: 'session',
	status: 200,
	response: data(z.array(Session)),
})

export const revokeSession = operation({
	id: 'revokeSession',
	method: 'delete',
	path: '/v1/auth/sessions/{sessionId}',
	tag,
	summary: 'Sign out one session',
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
	summary: 'End the session of this token',
	auth: 'unverified-session',
	status: 200,
	response: data(z.object({ loggedOut: z.literal(true) })),
})
