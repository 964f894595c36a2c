import { type AnyOperation, BYTES_BODY, type FileBody, JSON_BODY } from './operation.ts'

export type Input = Record<string, unknown>
export type Request = { method: string; path: string; body?: FileBody }

/** Distributes the fields of a call to path, query and body. Throws a TypeError if the path would name another resource. */
export function composeRequest([route, bits = 0, queryNames = '']: AnyOperation, input: Input = {}): Request {
	const [method = '', template = ''] = route.split(' ')
	const rest = { ...input }
	const take = (name: string): unknown => {
		const value = rest[name]
		delete rest[name]
		return value
	}
	const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeSegment(name, take(name)))
	const file = bits & BYTES_BODY ? (take('body') as FileBody) : undefined
	const query = (bits & JSON_BODY ? queryNames.split(' ') : Object.keys(rest)).flatMap((name) => {
		const value = take(name)
		return value === undefined ? [] : [`${name}=${encodeURIComponent(String(value))}`]
	})
	const body = bits & JSON_BODY ? JSON.stringify(rest) : file
	return {
		method,
		path: query[0] ? `${path}?${query.join('&')}` : path,
		...(body !== undefined && { body }),
	}
}

/** Rejects `.` and `..`, because URL parsers remove them and the path would name another resource. */
function encodeSegment(name: string, value: unknown): string {
	const text = String(value ?? '')
	if (/^\.{0,2}$/.test(text)) throw new TypeError(`${name} is "${text}"; pass an id`)
	return encodeURIComponent(text)
}
