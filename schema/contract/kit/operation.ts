import type { z } from 'zod'
import type { AuditAction } from '../accounts/audit/actions.ts'
import { findOpenBody, type OpenBody } from './bodies/open-bodies.ts'
import { strictBody } from './bodies/strict-body.ts'
import { type Deprecation, requireNotice } from './headers/deprecation.ts'
import type { ErrorCode } from './problem.ts'

/**
 * Who may call.
 * - `public`: anyone. `session`: a signed-in user of any organization.
 * - `viewer`: anyone; a credential of the organization may show more.
 * - `unverified-session`: as `session`, even if the installation requires a verified email address and this user has none.
 * - `renewal`: a session token, which may have expired while its session is still valid.
 * - `read`, `write`, `admin`: a session of a member of the organization, or an API key with that scope;
 *   for `admin`, the member must have the role admin or owner.
 * - `org-admin-person`: a session of an admin or owner. No API key, because a key must not create keys or
 *   act irreversibly.
 * - `superadmin`: a session of a platform superadmin.
 * - `upload`: an upload token. An upload that was started with the token accepts it even after it expired.
 * - `member`: an active member of the community that the request names, by member token or session.
 * - `headless-auth`: an API key with the scope `headless:auth`, which creates member tokens.
 * - `registration`: the registration token of the fleet. `machine`: the token of a registered machine.
 * - `metrics`: the token of the installation's metrics. Without one, the operation does not exist (404).
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
	| 'metrics'

/**
 * Why an operation that is not a read has no entry in the audit log.
 * - `own account`: it changes only the caller's account. Mails and the list of sessions report that.
 * - `own membership`: it changes only the caller's place in a community.
 * - `content`: it changes videos, posts and the like, not who may do what.
 * - `short-lived token`: it issues or ends a token that expires by itself.
 * - `work`: it continues work, such as tasks of machines and deliveries.
 */
type NotAudited = 'own account' | 'own membership' | 'content' | 'short-lived token' | 'work'

/** The audit entries of an operation. An impersonation also writes `impersonation.request`. */
type Audit = AuditAction | readonly AuditAction[] | `none: ${NotAudited}`

/** One API call. The edge serves it, daemon, pages and tests call it, and the OpenAPI document lists it. */
export type Operation = Description & (Read | Change)
type Read = { readonly method: 'get' | 'head' | 'options'; readonly audit?: Audit }
type Change = { readonly method: 'post' | 'put' | 'patch' | 'delete'; readonly audit: Audit }

type Description = {
	readonly id: string
	/** The name in the SDK, such as `assets.create`, where the name derived from id and tag reads badly (sdk/names.ts). */
	readonly sdk?: string
	readonly path: `/${string}`
	readonly tag: string
	readonly summary: string
	readonly description?: string
	/** Every response then carries `Deprecation` and `Sunset`, and the OpenAPI document marks the operation. */
	readonly deprecated?: Deprecation
	readonly auth: Auth
	readonly params?: z.ZodObject
	/** Rejects unknown parameters, except in the operations of queries/open-queries.ts. */
	readonly query?: z.ZodObject
	/** Request headers of this operation alone. CORS lets pages of other origins send them. */
	readonly headers?: z.ZodObject
	/** Response headers that carry the result. CORS lets pages of other origins read them. */
	readonly answerHeaders?: z.ZodObject
	/** Why an API key with the scope `admin` may call an operation with `auth: 'admin'` that is not a read. */
	readonly openToKeys?: string
	/** Another scope with which an API key may call the operation. It covers nothing else. `any`: every key may. */
	readonly keyScope?: 'members:write' | 'any'
	/** The impersonation right that the operation needs. Without it, the operation is closed to impersonators. */
	readonly impersonation?: 'read' | 'write'
	/**
	 * A full suspension of the caller's organization (`abuse` or `operator`) refuses the operation. `no new work`: so does
	 * one for `billing`, because the operation starts an upload, an encode or work of a model. `open`: none does.
	 */
	readonly whenSuspended?: 'no new work' | 'open'
	/**
	 * Why a POST keeps no response for `Idempotency-Key`. `unkept`: it runs each time. `needless`: repetitions are
	 * recognized without the header.
	 */
	readonly idempotencyKey?: { readonly unkept: string } | { readonly needless: string }
	/**
	 * The credential may be a stream token in the query, for `EventSource` (edge/http/live-streams). This operation creates
	 * the token.
	 */
	readonly takesStreamToken?: Operation
	/** Rejects unknown fields at any depth, except in `openBody`. */
	readonly body?: z.ZodType
	readonly openBody?: OpenBody
	/**
	 * The response contains `data.token`. Our own pages get it in the cookie of this kind instead, which no script can read
	 * (edge/http/own-pages/session-cookie.ts).
	 */
	readonly signsIn?: 'session' | 'impersonation'
	/**
	 * The only values of a field that an API key may send; other values need a session (else 403). A key must not grant
	 * or revoke a role above its own.
	 */
	readonly keysMaySend?: Readonly<Record<string, readonly string[]>>
	/** The body may also be one object under this name, as clients of Circle send it: `{"post": {…}}`. */
	readonly bodyWrapper?: 'post' | 'comment' | 'flagged_content'
	/**
	 * The body in the names of Circle, read as the body of the operation. It is tried only on a body that has the field
	 * `sign` and is not valid otherwise.
	 */
	readonly circleBody?: { readonly sign: string; readonly schema: z.ZodType }
	/** Media types as which the JSON body may be sent, besides `application/json`. */
	readonly bodyTypes?: readonly string[]
	/** The body may also be a form (`application/x-www-form-urlencoded`), as OAuth wants it. */
	readonly formBody?: true
	/** The body may also be lines of text in these media types. Each line is an element of `field` in the body. */
	readonly lineBody?: {
		readonly types: readonly string[]
		readonly field: string
		readonly maxBytes: number
	}
	/** The request may have no body; defaults then apply. */
	readonly bodyOptional?: true
	/** 303 sends a browser on: the handler returns the response. */
	readonly status: 101 | 200 | 201 | 202 | 204 | 303
	/** The status, with the same response body, if the resource exists already. */
	readonly statusIfExists?: 200
	/** The status, without a body, after a request that sent only a part of an upload. */
	readonly statusIfIncomplete?: 308
	readonly response?: z.ZodType
	/** The media type of a response that is not JSON. Its status may also be 206 (a range) or 304 (unchanged). */
	readonly answersWith?: string
	/** The media type and size limit of a request body that is not JSON. The handler reads it as a stream. */
	readonly takesBytes?: { readonly type: string; readonly maxBytes: number; readonly optional?: true }
	/** Error codes of this operation, besides those that follow from its other fields (see operation-errors.ts). */
	readonly errors?: readonly ErrorCode[]
	/** The user must have entered their password or a one-time code in this session within the last 10 minutes. */
	readonly recentProof?: true
	/** The operation that this one is under another path (community/alias.ts). */
	readonly aliasOf?: Operation
	/** A list with keyset paging: `limit` and `cursor` in, `Link` and `X-Next-Cursor` out. */
	readonly paged?: true
	/** Successful requests are not logged: there are so many that their lines would cost more than the requests. */
	readonly logsFailuresOnly?: true
	/** The resource in the path names the only origin whose pages may call (edge/http/cors.ts). */
	readonly ownOrigin?: true
	/** Any web page may call this operation (CORS `*`, no credentials). Other operations accept only origins on the allow-list. */
	readonly anyOrigin?: true
	/**
	 * A separate coarse rate limit per IP address. `api-key` limits per API key instead of per organization, and per IP
	 * address without a valid key. See edge/http/limits/rate-limit.ts.
	 */
	readonly shield?: 'credentials' | 'public-write' | 'player-events' | 'api-key'
}

/** An operation as written: the default status is 200, and the default tag that of the file. */
type Written = Omit<Description, 'status' | 'tag'> &
	Partial<Pick<Description, 'status' | 'tag'>> &
	(Read | Change)

type Completed<O, Tag> = O & {
	readonly tag: O extends { readonly tag: infer Own } ? Own : Tag
	readonly status: O extends { readonly status: infer Own } ? Own : 200
}

/** Returns the function that describes the operations of one tag. */
export const describeOperations =
	<const Tag extends string>(tag: Tag) =>
	<const O extends Written>(op: O): Completed<O, Tag> => {
		if (op.deprecated) requireNotice(op.deprecated)
		const body = op.body && { body: strictBody(op.body, findOpenBody(op)) }
		return { tag, status: 200, ...op, ...body } as Completed<O, Tag>
	}

export const listAuditActions = ({ audit }: Operation): readonly string[] =>
	audit === undefined || (typeof audit === 'string' && audit.startsWith('none: ')) ? [] : [audit].flat()
