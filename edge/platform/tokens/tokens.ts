import { decodeProtectedHeader, errors, jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import type { Purpose, Secrets } from './secrets.ts'

const ISSUER = 'playhouse'
/** The clocks of two servers may differ by this much. */
const TOLERANCE_SECONDS = 30
const MAX_TOKEN_LENGTH = 4_096
/** Base64 decoders ignore spaces and line breaks, but a forwarded token that contains them would break a header. */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/

/**
 * A kind of token has its own key, audience and claims. A matrix test checks that no kind is accepted in place of
 * another; add a row to it for each new kind.
 */
export type TokenKind<Claims> = { purpose: Purpose; audience: string; claims: z.ZodType<Claims> }

const kind = <Claims>(purpose: Purpose, audience: string, claims: z.ZodType<Claims>): TokenKind<Claims> => ({
	purpose,
	audience,
	claims,
})

const numericSubject = z.string().regex(/^\d+$/).transform(Number)

export const sessionToken = kind(
	'session-token',
	'session',
	z.object({
		typ: z.literal('session'),
		/** The user. */
		sub: numericSubject,
		sid: z.string(),
		/** The organization that the token is scoped to; null for a user without one. */
		org: z.string().nullable(),
		/** The value of users.tokenVersion at issue. */
		tv: z.int(),
		/** The id that the next renewal of the session must present; empty in tokens older than renewals. */
		rid: z.string().default(''),
		/** The expiry in seconds. */
		exp: z.number(),
	}),
)

/** Lets a superadmin act as a member of an organization. There is no renewal: its row says when it ends. */
export const impersonationToken = kind(
	'impersonation-token',
	'impersonation',
	z.object({
		typ: z.literal('impersonation'),
		/** The member. */
		sub: numericSubject,
		/** The impersonation. */
		sid: z.string(),
		org: z.string(),
		/** The superadmin (RFC 8693). Never nested, since an impersonation can't start another one. */
		act: z.strictObject({ sub: numericSubject }),
	}),
)

/** Sent with a password or code, never instead of one. */
export const deviceToken = kind(
	'device-token',
	'device',
	z.object({
		typ: z.literal('device'),
		/** The user who signed in from this device. */
		sub: numericSubject,
		did: z.string(),
		/** The value of users.tokenVersion at issue. */
		tv: z.int(),
	}),
)

/** How a person proved their identity in the first step of a sign-in. */
export type FirstFactor = 'password' | 'code'

/** Proves the first step of a sign-in. Opens a session only together with a second factor. */
export const secondFactorTicket = kind(
	'second-factor-ticket',
	'second-factor',
	z.object({
		typ: z.literal('second-factor'),
		/** The user. */
		sub: numericSubject,
		/** The value of users.tokenVersion at issue. */
		tv: z.int(),
		by: z.enum(['password', 'code']),
	}),
)

export const memberToken = kind(
	'member-token',
	'member',
	z.object({
		typ: z.literal('member'),
		/** The user. */
		sub: numericSubject,
		/** The community. */
		cid: z.int(),
		/** The membership. */
		mid: z.int(),
		/** The value of users.tokenVersion at issue. */
		tv: z.int(),
		/** The grant that the token was issued under. */
		gid: z.string(),
		/** The version of the grant at issue. */
		gv: z.int(),
		/** The expiry in seconds. */
		exp: z.number(),
	}),
)

export const machineToken = kind(
	'machine-token',
	'machine',
	z.object({ typ: z.literal('machine'), sub: z.string(), tv: z.int() }),
)

export const uploadToken = kind(
	'upload-token',
	'upload',
	z.object({
		typ: z.literal('upload'),
		/** The key of the source to upload. */
		sub: z.string(),
		org: z.string(),
		asset: z.string(),
		/** The size in bytes, as announced when the token was requested. */
		size: z.int(),
		/** The user who requested it, or who created the API key that did; missing in older tokens. */
		usr: z.int().optional(),
		/** The API key that requested it. */
		key: z.string().optional(),
	}),
)

const playbackClaims = z.object({
	/** The playback id. */
	sub: z.string(),
	/** The value of assets.playbackTokenVersion at issue; missing in tokens older than that column. */
	tv: z.int().default(0),
})
export const videoToken = kind('playback-token', 'v', playbackClaims)
export const pictureToken = kind('playback-token', 't', playbackClaims)
export const storyboardToken = kind('playback-token', 's', playbackClaims)

export const imageToken = kind(
	'image-token',
	'community-image',
	z.object({
		typ: z.literal('community-image'),
		/** The image. */
		sub: numericSubject,
		/** The community. */
		cid: z.int(),
		/** Given to a member who may read the hidden post of the image. */
		hid: z.boolean(),
		/** The expiry in seconds. */
		exp: z.number(),
	}),
)

export const playbackSessionToken = kind(
	'playback-session-token',
	'playback-session',
	z.object({
		typ: z.literal('playback-session'),
		/** The id that the player chose. */
		sub: z.string(),
		/** The playback id. */
		pid: z.string(),
		/** The level and index of the shard that has the session. */
		shard: z.tuple([z.int(), z.int()]),
		/** When the first report of the session arrived. */
		start: z.int(),
	}),
)

export const backupDownloadToken = kind(
	'backup-download-token',
	'backup-download',
	z.object({
		typ: z.literal('backup-download'),
		/** The backup. */
		sub: z.string(),
		/** The superadmin who asked for it. */
		by: z.int(),
	}),
)

export type Tokens = {
	sign(
		kind: TokenKind<unknown>,
		claims: Record<string, unknown>,
		now: number,
		expiresAt: number,
	): Promise<string>
	/** Returns the claims, or null if the token is invalid or expired. */
	read<Claims>(kind: TokenKind<Claims>, token: string, now: number): Promise<Claims | null>
	/** Like `read`, but accepts an expired token. For renewals, where the session decides. */
	readExpired<Claims>(kind: TokenKind<Claims>, token: string, now: number): Promise<Claims | null>
}

export function joseTokens(secrets: Secrets): Tokens {
	async function read<Claims>(kind: TokenKind<Claims>, token: string, now: number): Promise<Claims | null> {
		if (token.length > MAX_TOKEN_LENGTH || !COMPACT.test(token)) return null
		const keyId = keyIdOf(token)
		for (const { id, key } of await secrets.keys(kind.purpose)) {
			if (keyId !== undefined && keyId !== id) continue
			try {
				const { payload } = await jwtVerify(token, key, {
					algorithms: ['HS256'],
					audience: kind.audience,
					issuer: ISSUER,
					requiredClaims: ['exp', 'iat'],
					currentDate: new Date(now),
					clockTolerance: TOLERANCE_SECONDS,
				})
				return kind.claims.safeParse(payload).data ?? null
			} catch (error) {
				if (!(error instanceof errors.JOSEError)) throw error
			}
		}
		return null
	}

	return {
		read,
		async sign(kind, claims, now, expiresAt) {
			const [current] = await secrets.keys(kind.purpose)
			if (!current) throw new Error('the signing key is missing')
			return new SignJWT(claims)
				.setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: current.id })
				.setIssuer(ISSUER)
				.setAudience(kind.audience)
				.setIssuedAt(Math.floor(now / 1000))
				.setExpirationTime(Math.floor(expiresAt / 1000))
				.sign(current.key)
		},
		async readExpired(kind, token, now) {
			const issuedAt = unverifiedIssuedAt(token)
			// Checks the token at its time of issue: everything except the expiry is checked.
			return issuedAt === null || issuedAt > now + TOLERANCE_SECONDS * 1000
				? null
				: read(kind, token, issuedAt)
		},
	}
}

/** Returns the key id (`kid`) in the header of a token; undefined for tokens that have none. */
function keyIdOf(token: string): string | undefined {
	try {
		return decodeProtectedHeader(token).kid
	} catch {
		return undefined
	}
}

function unverifiedIssuedAt(token: string): number | null {
	try {
		const [, payload = ''] = token.split('.')
		const { iat } = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')))
		return Number.isInteger(iat) ? iat * 1000 : null
	} catch {
		return null
	}
}
