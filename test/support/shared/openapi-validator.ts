import { keepsResponses } from '#schema/contract/kit/idempotency-key.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'
import { listErrorCodes } from '#schema/contract/kit/operation-errors.ts'
import { type ErrorCode, statusByCode } from '#schema/contract/kit/problem.ts'
import { chooseWireFamily, problemByFamily } from '#schema/contract/kit/wire-family.ts'

/** A fetch response of either runtime; it is cloned, so that the caller can still read it. */
type AnyResponse = {
	status: number
	headers: { get(name: string): string | null }
	clone(): { text(): Promise<string> }
}

/** Throws if a response, with all its fields, does not match the OpenAPI document. */
export async function checkResponse(op: Operation, response: AnyResponse): Promise<void> {
	const isIncomplete = response.status === op.statusIfIncomplete
	const isSuccess =
		isIncomplete ||
		response.status === op.status ||
		response.status === op.statusIfExists ||
		(op.answersWith !== undefined && [206, 304].includes(response.status))
	const problems = isSuccess
		? await successProblems(op, response, isIncomplete)
		: await errorProblems(op, response)
	if (!response.headers.get('x-request-id')) problems.push('x-request-id is missing')
	if (problems.length > 0) throw new Error(`${op.id} returned ${response.status}, but ${problems.join('; ')}`)
}

async function successProblems(
	op: Operation,
	response: AnyResponse,
	isIncomplete: boolean,
): Promise<string[]> {
	const problems: string[] = []
	if (response.headers.get('x-error-code') !== null) problems.push('a success has x-error-code')
	if (!op.paged && response.headers.get('x-next-cursor') !== null)
		problems.push('it has x-next-cursor but is not a paged list')
	if (!keepsResponses(op) && response.headers.get('idempotent-replayed') !== null)
		problems.push('it was replayed')
	if (op.response && !isIncomplete) return [...problems, ...(await bodyProblems(op.response, response))]
	if (op.answersWith) return [...problems, ...mediaProblems(op.answersWith, response)]
	if ((await response.clone().text()) !== '')
		problems.push('it has a body, which the contract does not allow')
	return problems
}

async function errorProblems(op: Operation, response: AnyResponse): Promise<string[]> {
	const code = response.headers.get('x-error-code')
	if (code === null || !Object.hasOwn(statusByCode, code)) return [`x-error-code is ${code}`]
	const problems: string[] = []
	const expected = statusByCode[code as ErrorCode]
	if (expected !== response.status) problems.push(`${code} is ${expected}`)
	if (!listErrorCodes(op).includes(code as ErrorCode))
		problems.push(`the contract does not list ${code} among its errors`)
	const mayRetry = code === 'too_many_requests' || code === 'request_in_flight'
	if (mayRetry && !/^[1-9]\d*$/.test(response.headers.get('retry-after') ?? ''))
		problems.push('retry-after is missing')
	if (op.method === 'head') return problems
	const family = chooseWireFamily(op.path)
	if (
		family === 'headless' &&
		response.status === 401 &&
		response.headers.get('www-authenticate') !== 'Bearer'
	)
		problems.push('www-authenticate is missing')
	return [...problems, ...(await bodyProblems(problemByFamily[family], response))]
}

function mediaProblems(expected: string, response: AnyResponse): string[] {
	const type = response.headers.get('content-type')
	if (response.status === 304) return type === null ? [] : [`a 304 has the content-type ${type}`]
	const fits = expected.endsWith('/*') ? type?.startsWith(expected.slice(0, -1)) : type === expected
	return fits || expected === '*/*' ? [] : [`content-type is ${type}`]
}

type Schema = NonNullable<Operation['response']>

async function bodyProblems(schema: Schema, response: AnyResponse): Promise<string[]> {
	const type = response.headers.get('content-type')
	if (!/^application\/json\b/.test(type ?? '')) return [`content-type is ${type}`]
	let body: unknown
	try {
		body = JSON.parse(await response.clone().text())
	} catch {
		return ['its body is not JSON']
	}
	const parsed = schema.safeParse(body)
	if (!parsed.success)
		return parsed.error.issues.map((issue) => `${['body', ...issue.path].join('.')}: ${issue.message}`)
	// zod removes unknown fields, so a correct response is parsed without a change.
	return differences(body, parsed.data, 'body')
}

function differences(sent: unknown, parsed: unknown, path: string): string[] {
	if (sent === parsed) return []
	if (typeof sent !== 'object' || typeof parsed !== 'object' || !sent || !parsed)
		return [`${path} is parsed to another value`]
	const names = new Set([...Object.keys(sent), ...Object.keys(parsed)])
	return [...names].flatMap((name) => {
		const inner = `${path}.${name}`
		if (!Object.hasOwn(parsed, name)) return [`${inner} is not in the contract`]
		if (!Object.hasOwn(sent, name)) return [`${inner} is missing`]
		return differences(
			(sent as Record<string, unknown>)[name],
			(parsed as Record<string, unknown>)[name],
			inner,
		)
	})
}
