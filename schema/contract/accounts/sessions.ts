import { z } from 'zod'
import { data, OrgId, SessionId, Timestamp } from '../kit/fields.ts'
import { unkeptProof } from '../kit/idempotency-key.ts'
import { describeOperations } from '../kit/operation.ts'
import { SignedIn } from './identity.ts'

const operation = describeOperations('Auth')

export const refreshToken = operation({
	id: 'refreshToken',
	method: 'post',
	path: '/v1/auth/refresh',
	summary: 'Exchange a session token for a new one',
	description:
		'Takes the session token as a bearer token, even an expired one, while its session is valid. A session is valid until 30 days after its last refresh and at most 90 days after sign-in, unless it was signed out, revoked or ended by a password change. A token can be refreshed once. Another refresh within 60 seconds repeats the first one, for clients that lost the response. A later one ends the session, because two parties have the token. Tokens from switch-org count as the token that they were created from: refresh one of them, then switch with the new token.',
	auth: 'renewal',
	audit: 'none: own account',
	idempotencyKey: unkeptProof,
	shield: 'credentials',
	signsIn: 'session',
	response: data(SignedIn),
	errors: ['unauthorized'],
})

export const Place = z
	.object({
		country: z
			.string()
			.nullable()
			.meta({ description: 'Two letters (ISO 3166-1), where Cloudflare knows it' }),
		network: z
			.string()
			.nullable()
			.meta({ examples: ['203.0.113.0/24', '2001:db8:7::/48'] }),
	})
	.meta({ id: 'Place', description: 'Where a request came from, without the exact address' })

export const Session = z
	.object({
		id: SessionId,
		createdAt: Timestamp,
		lastSeenAt: Timestamp,
		expiresAt: Timestamp,
		userAgent: z.string(),
		ip: z.string(),
		device: z
			.string()
			.nullable()
			.meta({
				description: 'The browser and the system, or the program; null if unknown',
				examples: ['Firefox on Windows'],
			}),
		place: Place,
		impersonator: z
			.object({ email: z.string(), orgId: OrgId })
			.nullable()
			.meta({ description: 'The superadmin who acts as the user in this organization; null for the user' }),
		current: z.boolean(),
	})
	.meta({ id: 'Session' })
export type Session = z.infer<typeof Session>

export const listSessions = operation({
	id: 'listSessions',
	method: 'get',
	path: '/v1/auth/sessions',
	summary: 'List the sessions of the user, newest first',
	description: 'Also lists those in which a superadmin acts as the user, who can end them, too.',
	auth: 'session',
	response: data(z.array(Session)),
})

export const revokeSession = operation({
	id: 'revokeSession',
	method: 'delete',
	path: '/v1/auth/sessions/{sessionId}',
	summary: 'Revoke a session',
	auth: 'session',
	// Only for an impersonation; otherwise it changes the caller's account alone.
	audit: 'impersonation.ended',
	recentProof: true,
	params: z.object({ sessionId: SessionId }),
	response: data(z.object({ id: SessionId, revoked: z.literal(true) })),
	errors: ['not_found'],
})

export const revokeOtherSessions = operation({
	id: 'revokeOtherSessions',
	method: 'delete',
	path: '/v1/auth/sessions',
	summary: 'Revoke every session of the user except the current one',
	description: 'Also ends those in which a superadmin acts as the user.',
	auth: 'session',
	// Only of an impersonation; otherwise it changes the caller's account alone.
	audit: 'impersonation.ended',
	recentProof: true,
	response: data(z.object({ revoked: z.int().nonnegative().meta({ description: 'How many there were' }) })),
})

export const logout = operation({
	id: 'logout',
	method: 'post',
	path: '/v1/auth/logout',
	summary: 'Sign out the current session',
	auth: 'unverified-session',
	// Only of an impersonation; otherwise it changes the caller's account alone.
	audit: 'impersonation.ended',
	impersonation: 'read',
	response: data(z.object({ loggedOut: z.literal(true) })),
})
