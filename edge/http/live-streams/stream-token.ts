import { z } from 'zod'
import type { Operation } from '#schema/contract/kit/operation.ts'
import { SECOND, toIso } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { readCredential } from '../credential.ts'
import { AppError } from '../errors.ts'
import { requireSecrets } from '../require-secrets.ts'

const TOKEN_LIFE_MS = 60 * SECOND

const Claims = z.object({
	id: z.string(),
	expiresAt: z.number(),
	credential: z.object({ kind: z.enum(['bearer', 'key']), value: z.string() }),
	communityId: z.int().nullable(),
	topics: z.array(z.string()),
})

/** Also for a token that is used again: an `EventSource` stops, and its page asks for a new one. */
export const spentTokenError = () =>
	new AppError('unauthorized', 'the stream token is unknown, used or expired; create a new one')

/**
 * Seals the credential of a request into a token for one stream, since `EventSource` can't send headers. The stream is
 * opened, and checked while it is open, with that credential.
 */
export async function createStreamToken(
	deps: Deps,
	op: Operation,
	request: Request,
	{ topics, communityId = null }: { topics: string[]; communityId?: number | null },
): Promise<{ token: string; expiresAt: string }> {
	const secrets = requireSecrets(deps, 'stream tokens')
	const credential = deps.cookie
		? { kind: 'bearer' as const, value: deps.cookie.token }
		: readCredential(request.headers)
	if (!credential) throw new Error('the operation has no credential')
	const expiresAt = deps.now + TOKEN_LIFE_MS
	const claims = { id: crypto.randomUUID(), expiresAt, credential, communityId, topics }
	return {
		token: await secrets.seal('stream-token', JSON.stringify(claims satisfies z.infer<typeof Claims>), op.id),
		expiresAt: toIso(expiresAt),
	}
}

/** Returns the request as its stream token stands for it; the same one without a token. */
export async function openStreamToken(op: Operation, request: Request, deps: Deps): Promise<Request> {
	if (!op.takesStreamToken) return request
	const token = new URL(request.url).searchParams.get('token')
	if (token === null) return request
	if (readCredential(request.headers))
		throw new AppError(
			'bad_credentials_mix',
			'the request has a stream token and another credential; send one',
		)
	const text = await deps.secrets?.unseal('stream-token', token, op.id)
	const claims = text ? Claims.parse(JSON.parse(text)) : null
	if (!claims || claims.expiresAt <= deps.now) throw spentTokenError()
	const { id, expiresAt, topics, credential, communityId } = claims
	deps.streamToken = { id, expiresAt, topics }
	const headers = new Headers(request.headers)
	// Browsers send the cookie of a page along.
	headers.delete('cookie')
	if (credential.kind === 'key') headers.set('x-api-key', credential.value)
	else headers.set('authorization', `Bearer ${credential.value}`)
	if (communityId !== null) headers.set('x-community-id', String(communityId))
	return new Request(request, { headers })
}

/** Returns the topics of a stream: those in its token, or else those in the named query parameter. */
export function readTopics(
	{ streamToken }: Deps,
	parameter: 'topics' | 'types',
	requested: readonly string[] | undefined,
): readonly string[] {
	if (streamToken && requested)
		throw new AppError(
			'validation',
			`${parameter}: the stream token contains the ${parameter}; leave them out`,
		)
	return streamToken?.topics ?? requested ?? []
}
