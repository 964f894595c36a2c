import { decodeProtectedHeader, errors, jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import type { Purpose, Secrets } from './secrets.ts'

const ISSUER = 'playhouse'
/** Clocks of two servers may differ by this much. */
const TOLERANCE_SECONDS = 30
const MAX_TOKEN_LENGTH = 4_096
/** Base64 decoders pass over blanks and line breaks; a token that was passed on with them would break a header. */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/

/**
 * A kind of token is a door: own key, own audience, own claims. Adding a kind adds a row to the matrix test that
 * tries each token at each other door.
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
		/** The organization the token is scoped to; none for someone who belongs to no organization. */
		org: z.string().nullable(),
		/** users.tokenVersion when it was made. */
		tv: z.int(),
		/** What the session's next renewal has to show; empty in tokens from before there was one. */
		rid: z.string().default(''),
		/** When it ends, in seconds. */
		exp: z.number(),
	}),
)

/** Shown with a password or a code, never instead of one. */
export const deviceToken = kind(
	'device-token',
	'device',
	z.object({
		typ: z.literal('device'),
		/** The user who signed in from it. */
		sub: numericSubject,
		did: z.string(),
		/** users.tokenVersion when it was made. */
		tv: z.int(),
	}),
)

export const memberToken = kind(
	'member-token',
	'member',
	z.object({
		typ: z.literal('member'),
		/** The user. */
		sub: numericSubject,
		/** Community and membership. */
		cid: z.int(),
		mid: z.int(),
		/** users.tokenVersion when it was made. */
		tv: z.int(),
		/** The grant it stands on, and which of its versions. */
		gid: z.string(),
		gv: z.int(),
		/** When it ends, in seconds. */
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
		/** The key of the source that is uploaded. */
		sub: z.string(),
		org: z.string(),
		asset: z.string(),
		/** Bytes, as announced when it was asked for. */
		size: z.int(),
	}),
)

const ofPlayback = z.object({
	/** The playback id. */
	sub: z.string(),
	/** assets.playbackTokenVersion when it was made; tokens from before there was one have none. */
	tv: z.int().default(0),
})
export const videoToken = kind('playback-token', 'v', ofPlayback)
export const pictureToken = kind('playback-token', 't', ofPlayback)
export const storyboardToken = kind('playback-token', 's', ofPlayback)

export type Tokens = {
	sign(
		kind: TokenKind<unknown>,
		claims: Record<string, unknown>,
		now: number,
		expiresAt: number,
	): Promise<string>
	/** The claims, or `null` if the token is not what it should be or its time is over. */
	read<Claims>(kind: TokenKind<Claims>, token: string, now: number): Promise<Claims | null>
	/** As `read`, but lets a token pass whose time is over. For renewing, where the session decides. */
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
			if (!current) throw new Error('there is no signing key')
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
			// Read as of when it was issued: signature, audience and claims are checked in full, only the end is not.
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
