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
		'Whoever signs up while the installation has no superadmin, as at its very beginning, becomes one. 403 when registration is closed or the mail domain is not allowed, unless `invitationToken` names an open invitation to this address; 409 when the address is taken.',
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
	summary: 'Prove again who you are, in a session that is open already',
	description:
		'Takes the password, or a one-time code that POST /v1/auth/otp/send has mailed. For 10 minutes after it, as after signing in, the session may delete or export the account and set a first password; other sessions get 403 `reauthentication_required` there.',
	auth: 'session',
	shield: 'credentials',
	body: z.union([z.strictObject({ password: GivenPassword }), z.strictObject({ code: Code })]),
	status: 200,
	response: data(z.object({ provedUntil: Timestamp })),
	errors: ['forbidden', 'unauthorized', 'not_configured'],
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
	auth: 'session',
	status: 200,
	response: data(z.object({ loggedOut: z.literal(true) })),
})
