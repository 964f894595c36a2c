import type { z } from 'zod'
import type { Operation } from '#schema/contract/operation.ts'
import type { Deps } from '../platform/deps.ts'
import type { LogFields } from '../platform/log.ts'
import { authenticate, refuseBeyondKey } from './auth.ts'
import type { Caller, CallerOf, Doors } from './caller.ts'
import { AppError } from './errors.ts'
import { answerOnce } from './idempotency.ts'
import { readJson } from './json-body.ts'
import { requireRecentProof } from './recent-proof.ts'
import { shield, shieldOrg } from './shield.ts'

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined

export type Input<O extends Operation> = {
	deps: Deps
	caller: CallerOf<O['auth']>
	params: Parsed<O['params']>
	query: Parsed<O['query']>
	body: O extends { bodyOptional: true } ? Parsed<O['body']> | undefined : Parsed<O['body']>
	request: Request
	/** Address of the caller, as far as the platform knows it. */
	ip: string
	/** Headers of the answer, for what is not in its body. */
	headers: Headers
	/** For an answer that goes on for long: whether the same credential would be let in so much later. */
	isStillAdmitted: (laterMs: number) => Promise<boolean>
	/** Told that what was to be created is there already; answers `statusIfThere`. */
	wasThere: () => void
}

type Answer<O extends Operation> = O extends { response: infer R extends z.ZodType }
	? z.input<R>
	: O extends { answersWith: string }
		? Response
		: undefined

export type Route = {
	op: Operation
	/** From a request that matched to its answer; throws AppError. */
	answer(request: Request, rawParams: Record<string, string>, deps: Deps, doors: Doors): Promise<Response>
}

/** Serves an operation: who may call, what goes in, what comes out are all the contract's to say. */
export function serve<const O extends Operation>(
	op: O,
	handle: (input: Input<O>) => Promise<Answer<O>>,
): Route {
	return {
		op,
		async answer(request, rawParams, deps, doors) {
			const ip = request.headers.get('cf-connecting-ip') ?? 'unknown'
			await shield(op, deps, ip)
			const admit = (at: Deps) => authenticate(op.auth, at, doors, request, rawParams.orgId)
			const caller = await admit(deps)
			noteCaller(deps, caller)
			if (op.recentProof && caller?.kind === 'person') requireRecentProof(caller, deps.now)
			if (caller) await shieldOrg(caller, deps)
			const params = parseParams(op, rawParams)
			const query = parseQuery(op, request.url)
			const body = await parseBody(op, request)
			refuseBeyondKey(op, caller, body)
			const headers = new Headers()
			const act = async () => {
				let status: number = op.status
				const wasThere = () => {
					status = op.statusIfThere ?? op.status
				}
				const isStillAdmitted = (laterMs: number) => isAdmitted(() => admit(laterThan(deps, laterMs)))
				const input = { deps, caller, params, query, body, request, ip, headers, isStillAdmitted, wasThere }
				const answer: unknown = await handle(input as unknown as Input<O>)
				if (answer instanceof Response) return answer
				return answer === undefined
					? new Response(null, { status, headers })
					: Response.json(answer, { status, headers })
			}
			return op.idempotent ? answerOnce(op, deps, caller, request, { params, query, body }, act) : act()
		},
	}
}

/** Inherits, since spreading would open the mailer and the storage that nobody asked for. */
const laterThan = (deps: Deps, ms: number): Deps => Object.create(deps, { now: { value: deps.now + ms } })

async function isAdmitted(admit: () => Promise<unknown>): Promise<boolean> {
	try {
		await admit()
		return true
	} catch (error) {
		if (error instanceof AppError) return false
		throw error
	}
}

function noteCaller(deps: Deps, caller: Caller | undefined): void {
	if (caller) deps.log = deps.log.with(namesOf(caller))
}

function namesOf(caller: Caller): LogFields {
	if (caller.kind === 'machine') return { machineId: caller.machineId }
	if (caller.kind === 'upload') return { orgId: caller.orgId, assetId: caller.assetId }
	const orgId = caller.org?.id
	return caller.kind === 'key' ? { orgId, keyId: caller.keyId } : { orgId, userId: caller.userId }
}

function refuse(error: z.ZodError): never {
	const fields: Record<string, string[]> = {}
	for (const issue of error.issues) {
		const name = issue.path.join('.')
		fields[name] = [...(fields[name] ?? []), issue.message]
	}
	const first = Object.entries(fields)
		.slice(0, 5)
		.map(([name, messages]) => (name ? `${name}: ${messages[0]}` : messages[0]))
		.join('; ')
	throw new AppError('validation', first, { fields })
}

/** The headers an operation reads. Not read by `serve`: some must be looked at before others mean anything. */
export function readHeaders<const O extends Operation & { headers: z.ZodObject }>(
	{ headers }: O,
	request: Request,
): z.output<O['headers']> {
	const names = Object.keys(headers.shape)
	const raw = Object.fromEntries(names.map((name) => [name, request.headers.get(name) ?? undefined]))
	const result = headers.safeParse(raw)
	return result.success ? (result.data as z.output<O['headers']>) : refuse(result.error)
}

/** An id that is not even formed like one names nothing: 404, as for any other unknown id. */
function parseParams(op: Operation, raw: Record<string, string>): unknown {
	if (!op.params) return undefined
	const result = op.params.safeParse(raw)
	if (!result.success) throw new AppError('not_found', 'not found')
	return result.data
}

function parseQuery(op: Operation, url: string): unknown {
	if (!op.query) return undefined
	const raw: Record<string, string> = {}
	for (const [name, value] of new URL(url).searchParams) {
		if (Object.hasOwn(raw, name)) throw new AppError('validation', `${name}: given twice`)
		if (value.includes('\0')) throw new AppError('validation', `${name}: holds a NUL character`)
		raw[name] = value
	}
	const result = op.query.safeParse(raw)
	return result.success ? result.data : refuse(result.error)
}

async function parseBody(op: Operation, request: Request): Promise<unknown> {
	if (!op.body) return undefined
	if (op.bodyOptional && request.body === null) return undefined
	const value = await readJson(request)
	if (value === undefined && op.bodyOptional) return undefined
	const result = op.body.safeParse(value)
	if (result.success) return result.data
	// Of a body that is not there, every field is missing: that says more than that there is no body.
	const missing = value === undefined ? op.body.safeParse({}).error : undefined
	return refuse(missing ?? result.error)
}
