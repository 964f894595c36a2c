import type { z } from 'zod'
import type { Operation } from '#schema/contract/kit/operation.ts'
import type { Deps } from '../platform/deps.ts'
import type { LogFields } from '../platform/log.ts'
import { type AuditActor, type AuditContext, systemActor } from '../platform/unit-of-work.ts'
import { authenticate, requireValuesAllowedToKeys } from './authenticate.ts'
import { parseBody } from './body/parse-body.ts'
import { refusePartialBody } from './body/partial-body.ts'
import { refuseInput } from './body/refuse-input.ts'
import type { Authenticators, Caller, CallerFor } from './caller.ts'
import { AppError } from './errors.ts'
import { recordImpersonated, toImpersonationContext } from './guards/impersonation.ts'
import { answerIdempotently } from './idempotency.ts'
import { enforceAddressLimit, enforceCallerLimit, enforceRefusalLimit } from './limits/rate-limit.ts'
import { openStreamToken } from './live-streams/stream-token.ts'
import { completeSignIn, openPageSession, recordEndOfCookie } from './own-pages/page-session.ts'
import { completeNextLink, completePage } from './page.ts'
import { parseQuery } from './query.ts'
import { requireRecentProof } from './recent-proof.ts'

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined

export type Input<O extends Operation> = {
	deps: Deps
	caller: CallerFor<O['auth']>
	params: Parsed<O['params']>
	query: Parsed<O['query']>
	body: O extends { bodyOptional: true } ? Parsed<O['body']> | undefined : Parsed<O['body']>
	request: Request
	/** The caller's IP address, if the platform knows it. */
	ip: string
	/** Headers of the response. */
	headers: Headers
	/** Rechecks the credential, for long-running streams. */
	isStillAdmitted: (laterMs: number) => Promise<boolean>
	/** Records that the resource already existed, which changes the status to `statusIfExists`. */
	markExisting: () => void
}

type Answer<O extends Operation> =
	| (O extends { statusIfIncomplete: number } ? Response : never)
	| CompleteAnswer<O>

type CompleteAnswer<O extends Operation> = O extends { response: infer R extends z.ZodType }
	? z.input<R>
	: O extends { answersWith: string } | { status: 303 }
		? Response
		: undefined

export type Route = {
	op: Operation
	/** Handles a matching request; throws AppError. */
	answer(
		request: Request,
		rawParams: Record<string, string>,
		deps: Deps,
		authenticators: Authenticators,
	): Promise<Response>
}

const UNKNOWN_IP = 'unknown'

/** Serves an operation. The contract defines its callers, input and output. */
export function serve<const O extends Operation>(
	op: O,
	handle: (input: Input<O>) => Promise<Answer<O>>,
): Route {
	return {
		op,
		async answer(sent, rawParams, deps, authenticators) {
			const ip = sent.headers.get('cf-connecting-ip') ?? UNKNOWN_IP
			await enforceAddressLimit(op, deps, ip)
			const request = await openStreamToken(op, sent, deps)
			await openPageSession(op, deps, authenticators, request)
			const admit = (at: Deps) => authenticate(op, at, authenticators, request, rawParams.orgId)
			const caller = await enforceRefusalLimit(op, deps, ip, () => admit(deps)).catch((error: unknown) => {
				recordEndOfCookie(deps, error)
				throw error
			})
			noteCaller(deps, caller)
			const impersonation = toImpersonationContext(caller)
			if (op.method !== 'get' || op.audit || impersonation)
				deps.work.audit = auditContext(op, deps, caller, ip)
			if (op.recentProof && caller?.kind === 'person') requireRecentProof(caller, deps.now)
			if (caller) await enforceCallerLimit(op, caller, deps)
			if (impersonation) await recordImpersonated(deps, op, rawParams.assetId)
			const params = parseParams(op, rawParams)
			const query = parseQuery(op, request.url)
			refusePartialBody(op, request)
			const body = await parseBody(op, request)
			requireValuesAllowedToKeys(op, caller, body)
			const headers = new Headers()
			const act = async (unread: Request) => {
				let status: number = op.status
				const markExisting = () => {
					status = op.statusIfExists ?? op.status
				}
				const isStillAdmitted = (laterMs: number) =>
					isAdmitted(async () => readRights(await admit(laterThan(deps, laterMs))) === readRights(caller))
				const input = {
					deps,
					caller,
					params,
					query,
					body,
					request: unread,
					ip,
					headers,
					isStillAdmitted,
					markExisting,
				}
				const answer: unknown = await handle(input as unknown as Input<O>)
				if (answer instanceof Response) return answer
				if (op.paged) completeNextLink(headers, deps.env, request)
				return answer === undefined
					? new Response(null, { status, headers })
					: Response.json(op.paged ? completePage(op, answer, headers) : answer, { status, headers })
			}
			const response = await answerIdempotently(
				{ op, deps, caller, ip, input: { params, query, body } },
				request,
				act,
			)
			return completeSignIn(op, request, response)
		},
	}
}

type AliasOf<O extends Operation> = Operation & { readonly aliasOf: O; readonly params: z.ZodObject }

/** Serves an operation under its own path and those of its aliases, whose paths have more parameters. */
export const serveWithAliases = <const O extends Operation, const A extends AliasOf<O>>(
	op: O,
	aliases: readonly A[],
	handle: (input: Input<O> & { params: Partial<Parsed<A['params']>> }) => Promise<Answer<O>>,
): Route[] =>
	[op, ...aliases].map((each) => serve(each, handle as (input: Input<Operation>) => Promise<never>))

/** Inherits instead of spreading, because spreading would run the lazy getters of the mailer and the storage. */
const laterThan = (deps: Deps, ms: number): Deps => Object.create(deps, { now: { value: deps.now + ms } })

/** Names the role or scopes of a caller. A stream whose caller got other ones ends, and is opened again with these. */
const readRights = (caller: Caller | undefined): string =>
	JSON.stringify(
		caller && [caller.kind, 'role' in caller && caller.role, 'scopes' in caller && caller.scopes],
	)

async function isAdmitted(hasRights: () => Promise<boolean>): Promise<boolean> {
	try {
		return await hasRights()
	} catch (error) {
		if (error instanceof AppError) return false
		throw error
	}
}

function noteCaller(deps: Deps, caller: Caller | undefined): void {
	if (caller) deps.log = deps.log.with(namesOf(caller))
}

function auditContext(
	op: Operation,
	{ requestId }: Deps,
	caller: Caller | undefined,
	ip: string,
): AuditContext {
	const orgId = caller && 'org' in caller ? (caller.org?.id ?? null) : null
	const ipAddress = ip === UNKNOWN_IP ? null : ip
	const onBehalfOfUserId = caller?.kind === 'person' && caller.impersonation ? caller.userId : null
	return { requestId, orgId, ipAddress, onBehalfOfUserId, actor: actorOf(op, caller) }
}

function actorOf({ auth }: Operation, caller: Caller | undefined): AuditActor {
	if (!caller) return auth === 'registration' ? { ...systemActor, kind: 'registration' } : systemActor
	if (caller.kind === 'machine') return { kind: 'machine', id: caller.machineId, userId: null }
	// A key acts on behalf of its creator.
	if (caller.kind === 'key') return { kind: 'api_key', id: caller.keyId, userId: caller.makerId }
	if (caller.kind === 'upload') return systemActor
	return { kind: 'user', id: null, userId: toImpersonationContext(caller)?.by.userId ?? caller.userId }
}

function namesOf(caller: Caller): LogFields {
	if (caller.kind === 'machine') return { machineId: caller.machineId }
	if (caller.kind === 'upload') return { orgId: caller.orgId, assetId: caller.assetId }
	const orgId = caller.org?.id
	if (caller.kind === 'key') return { orgId, keyId: caller.keyId }
	const impersonation = toImpersonationContext(caller)
	return { orgId, userId: caller.userId, ...(impersonation && { impersonationId: impersonation.id }) }
}

/** Parses the headers of an operation. `serve` doesn't, because some must be checked before others. */
export function readHeaders<const O extends Operation & { headers: z.ZodObject }>(
	{ headers }: O,
	request: Request,
): z.output<O['headers']> {
	const names = Object.keys(headers.shape)
	const raw = Object.fromEntries(names.map((name) => [name, request.headers.get(name) ?? undefined]))
	const result = headers.safeParse(raw)
	return result.success ? (result.data as z.output<O['headers']>) : refuseInput(result.error)
}

/** Throws 404 for a malformed id, as for any unknown id. */
function parseParams(op: Operation, raw: Record<string, string>): unknown {
	if (!op.params) return undefined
	const result = op.params.safeParse(raw)
	if (!result.success) throw new AppError('not_found', 'not found')
	return result.data
}
