import type { z } from 'zod'
import type { ErrorCode } from './problem.ts'

/**
 * Who may call.
 * - `public`: anyone. `session`: a signed-in person, whatever their organization.
 * - `viewer`: anyone too, but who shows a credential of the organization may be told more.
 * - `unverified-session`: as `session`, and also where the installation wants the address verified and it is not yet.
 * - `renewal`: a session token, even one whose day is over, as long as its session lives.
 * - `read`, `write`, `admin`: a session of a member of the organization, or an API key with that scope;
 *   `admin` asks a person for the role admin or owner.
 * - `org-admin-person`: an admin or owner in person; no API key (keys can't make keys, or end what can't be undone).
 * - `superadmin`: a session of a platform superadmin.
 * - `upload`: an upload token. It opens what was begun with it even when its own time is over.
 * - `member`: an active member of the community that the request names: a member token or a session.
 * - `headless-auth`: an API key with the scope `headless:auth`, which makes member tokens.
 * - `registration`: the fleet's registration token. `machine`: the token a registered machine was given.
 */
export type Auth =
	| 'public'
	| 'viewer'
	| 'session'
	| 'unverified-session'
	| 'renewal'
	| 'read'
	| 'write'
	| 'admin'
	| 'org-admin-person'
	| 'superadmin'
	| 'upload'
	| 'member'
	| 'headless-auth'
	| 'registration'
	| 'machine'

/** One HTTP exchange, described once: the edge serves it; daemon, pages and tests call it; OpenAPI prints it. */
export type Operation = {
	readonly id: string
	readonly method: 'get' | 'head' | 'options' | 'post' | 'put' | 'patch' | 'delete'
	readonly path: `/${string}`
	readonly tag: string
	readonly summary: string
	readonly description?: string
	readonly auth: Auth
	readonly params?: z.ZodObject
	readonly query?: z.ZodObject
	/** Headers it reads besides those that any operation may; pages of other origins may send them. */
	readonly headers?: z.ZodObject
	/** Headers that say what was asked for; pages of other origins may read them. */
	readonly answerHeaders?: z.ZodObject
	readonly body?: z.ZodType
	/**
	 * The only values of a field that an API key may send. Others take a person in a session (403): a key must not give
	 * or take away more than it can.
	 */
	readonly keysMaySend?: Readonly<Record<string, readonly string[]>>
	/** A body that may be left out altogether (defaults then apply). */
	readonly bodyOptional?: true
	readonly status: 101 | 200 | 201 | 202 | 204
	/** Answered instead, with the same body, when what it would create is there already. */
	readonly statusIfThere?: 200
	readonly response?: z.ZodType
	/** Not JSON but bytes: their media type as OpenAPI names it. Ranges and conditions may make it 206 or 304. */
	readonly answersWith?: string
	/** The body is no JSON but bytes that the handler reads as they stream: media type and most bytes. */
	readonly takesBytes?: { readonly type: string; readonly maxBytes: number; readonly optional?: true }
	/** Refusals of its own, besides those that any operation may answer. */
	readonly errors?: readonly ErrorCode[]
	/** Of a `session`: the person must have shown their password or a one-time code within the last 10 minutes. */
	readonly recentProof?: true
	/** Accepts `Idempotency-Key`: it creates something that must not be made twice. */
	readonly idempotent?: true
	/** A list with keyset paging: `limit` and `cursor` in, `Link` and `X-Next-Cursor` out. */
	readonly paged?: true
	/** Any web page may call it (CORS `*`, no credentials). Others only from the allow-list. */
	readonly anyOrigin?: true
	/** Named coarse shield (per address or per organization), see edge/http/shield.ts. */
	readonly shield?: 'credentials' | 'public-write'
}

export const operation = <const O extends Operation>(op: O): O => op
