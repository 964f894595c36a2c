import { type AnyOperation, EVENT_STREAM, FILE, IDEMPOTENT, JSON_BODY } from '../../../src/operation.ts'
import { USAGE } from '../../frame/exit-codes.ts'
import { CommandFailure } from '../../frame/failure.ts'

type Fields = { field?: readonly string[]; jsonField?: readonly string[] }
export type ApiRequest = { operation: AnyOperation; input: Record<string, unknown> }

const withoutBody = ['GET', 'HEAD', 'OPTIONS']
const methods = [...withoutBody, 'POST', 'PUT', 'PATCH', 'DELETE']

/** Returns the call for the arguments of `playhouse api`. */
export function composeApiRequest(given: string, path: string, fields: Fields): ApiRequest {
	const method = given.toUpperCase()
	if (!methods.includes(method))
		throw new CommandFailure(`${given} is no method; use ${methods.join(', ')}`, USAGE)
	checkPath(path)
	const input: Record<string, unknown> = {}
	for (const each of fields.field ?? []) addField(input, each, (value) => value)
	for (const each of fields.jsonField ?? []) addField(input, each, parseJson)
	// POSTs accept an idempotency key, so a lost response can be fetched again.
	const traits = FILE | (method === 'POST' ? IDEMPOTENT : 0)
	if (withoutBody.includes(method)) {
		const [route, query = ''] = path.split('?', 2)
		for (const [name, value] of new URLSearchParams(query)) input[name] ??= value
		return { operation: [`${method} ${route}`, isStream(path) ? EVENT_STREAM : traits], input }
	}
	const hasBody = Object.keys(input).length > 0
	return { operation: [`${method} ${path}`, traits | (hasBody ? JSON_BODY : 0)], input }
}

/** Streams need another `Accept`. */
const isStream = (path: string): boolean => /\/(stream|progress)(\?|$)/.test(path)

/** Rejects `.` and `..`, because URL parsers remove them and the path would name another resource. */
function checkPath(path: string): void {
	const segments = path.split('?')[0]?.split('/') ?? []
	if (!path.startsWith('/') || /[\s#{}\\]/.test(path))
		throw new CommandFailure('the path is not valid; use one like /v1/assets', USAGE)
	if (segments.some((segment) => /^(\.|%2e){1,2}$/i.test(segment)))
		throw new CommandFailure('the path contains . or .. as a segment; write the path out', USAGE)
}

function addField(input: Record<string, unknown>, field: string, parse: (value: string) => unknown): void {
	const [, name, value = ''] = /^([^=]+)=(.*)$/s.exec(field) ?? []
	if (!name) throw new CommandFailure('a field has no name or no value; write it as key=value', USAGE)
	input[name] = parse(value)
}

function parseJson(value: string): unknown {
	try {
		return JSON.parse(value)
	} catch {
		throw new CommandFailure(
			'a value of -F is not valid JSON; use -f for texts, or quotes: -F \'key="text"\'',
			USAGE,
		)
	}
}
