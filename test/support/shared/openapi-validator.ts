import type { Operation } from '#schema/contract/kit/operation.ts'
import { errorCodesOf } from '#schema/contract/kit/operation-errors.ts'
import { type ErrorCode, statusOf } from '#schema/contract/kit/problem.ts'
import { familyOf, problemOf } from '#schema/contract/kit/wire-family.ts'

/** A fetch answer of either runtime; it is cloned, so that the caller can still read it. */
type Answer = {
	status: number
	headers: { get(name: string): string | null }
	clone(): { text(): Promise<string> }
}

/** Throws when an answer is not one that the OpenAPI document promises for this operation, to the last field. */
export async function checkResponse(op: Operation, answer: Answer): Promise<void> {
	const isSuccess =
		answer.status === op.status ||
		answer.status === op.statusIfExists ||
		(op.answersWith !== undefined && [206, 304].includes(answer.status))
	const problems = isSuccess ? await successProblems(op, answer) : await refusalProblems(op, answer)
	if (!answer.headers.get('x-request-id')) problems.push('x-request-id is missing')
	if (problems.length > 0) throw new Error(`${op.id} answered ${answer.status}, but ${problems.join('; ')}`)
}

async function successProblems(op: Operation, answer: Answer): Promise<string[]> {
	const problems: string[] = []
	if (answer.headers.get('x-error-code') !== null) problems.push('a success carries x-error-code')
	if (!op.paged && answer.headers.get('x-next-cursor') !== null)
		problems.push('x-next-cursor is there and it is no paged list')
	if (!op.idempotent && answer.headers.get('idempotent-replayed') !== null) problems.push('it was replayed')
	if (op.response) return [...problems, ...(await bodyProblems(op.response, answer))]
	if (op.answersWith) return [...problems, ...mediaProblems(op.answersWith, answer)]
	if ((await answer.clone().text()) !== '') problems.push('the contract has no body for it')
	return problems
}

async function refusalProblems(op: Operation, answer: Answer): Promise<string[]> {
	const code = answer.headers.get('x-error-code')
	if (code === null || !Object.hasOwn(statusOf, code)) return [`x-error-code is ${code}`]
	const problems: string[] = []
	const expected = statusOf[code as ErrorCode]
	if (expected !== answer.status) problems.push(`${code} is ${expected}`)
	if (!errorCodesOf(op).includes(code as ErrorCode))
		problems.push(`the contract does not list ${code} among its errors`)
	const mayRetry = code === 'too_many_requests' || code === 'request_in_flight'
	if (mayRetry && !/^[1-9]\d*$/.test(answer.headers.get('retry-after') ?? ''))
		problems.push('retry-after is missing')
	if (op.method === 'head') return problems
	const family = familyOf(op.path)
	if (family === 'headless' && answer.status === 401 && answer.headers.get('www-authenticate') !== 'Bearer')
		problems.push('www-authenticate is missing')
	return [...problems, ...(await bodyProblems(problemOf[family], answer))]
}

function mediaProblems(expected: string, answer: Answer): string[] {
	const type = answer.headers.get('content-type')
	if (answer.status === 304) return type === null ? [] : [`a 304 has the content-type ${type}`]
	const fits = expected.endsWith('/*') ? type?.startsWith(expected.slice(0, -1)) : type === expected
	return fits || expected === '*/*' ? [] : [`content-type is ${type}`]
}

type Schema = NonNullable<Operation['response']>

async function bodyProblems(schema: Schema, answer: Answer): Promise<string[]> {
	const type = answer.headers.get('content-type')
	if (!/^application\/json\b/.test(type ?? '')) return [`content-type is ${type}`]
	let body: unknown
	try {
		body = JSON.parse(await answer.clone().text())
	} catch {
		return ['its body is not JSON']
	}
	const read = schema.safeParse(body)
	if (!read.success)
		return read.error.issues.map((issue) => `${['body', ...issue.path].join('.')}: ${issue.message}`)
	// zod leaves out what it does not know, so an answer that says exactly what it should is read as it stands.
	return differences(body, read.data, 'body')
}

function differences(sent: unknown, read: unknown, path: string): string[] {
	if (sent === read) return []
	if (typeof sent !== 'object' || typeof read !== 'object' || !sent || !read)
		return [`${path} is read as another value`]
	const names = new Set([...Object.keys(sent), ...Object.keys(read)])
	return [...names].flatMap((name) => {
		const inner = `${path}.${name}`
		if (!Object.hasOwn(read, name)) return [`${inner} is not in the contract`]
		if (!Object.hasOwn(sent, name)) return [`${inner} is missing`]
		return differences(
			(sent as Record<string, unknown>)[name],
			(read as Record<string, unknown>)[name],
			inner,
		)
	})
}
