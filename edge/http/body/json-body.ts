import { AppError } from '../errors.ts'
import { readMediaType } from '../headers.ts'
import { readBodyChunks } from './body-chunks.ts'

/** Files don't travel as JSON, so no operation needs a larger body. */
export const MAX_JSON_BYTES = 1_048_576
const MAX_DEPTH = 32

const malformedError = (message: string) => new AppError('malformed', message)

/**
 * Parses a JSON body strictly: size-limited, valid UTF-8. Rejects duplicate keys, which parsers interpret
 * differently, `__proto__`, which zod drops silently, and NUL and lone surrogates, which the database can't return.
 * Returns undefined for an empty body, regardless of headers.
 */
export async function readJson(request: Request, otherTypes: readonly string[] = []): Promise<unknown> {
	const text = await readText(request, otherTypes)
	if (text === null) return undefined
	let value: unknown
	try {
		value = JSON.parse(text)
	} catch {
		throw malformedError('the body is not valid JSON')
	}
	rejectAmbiguousJson(text)
	return value
}

/** Returns null for an empty body. */
async function readText(request: Request, otherTypes: readonly string[]): Promise<string | null> {
	const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
	let text: string | null = null
	try {
		for await (const chunk of readBodyChunks(request, MAX_JSON_BYTES)) {
			if (text === null) refuseOtherTypes(request, ['application/json', ...otherTypes])
			text = (text ?? '') + decoder.decode(chunk, { stream: true })
		}
		return text === null ? null : text + decoder.decode()
	} catch (error) {
		if (error instanceof AppError && error.code !== 'malformed') throw error
		throw malformedError('the body is not valid UTF-8, or ended early')
	}
}

function refuseOtherTypes({ headers }: Request, types: readonly string[]): void {
	if (!types.includes(readMediaType(headers)))
		throw new AppError('unsupported_media_type', `send the body as content-type: ${types.join(' or ')}`)
}

/** Checks valid JSON in one pass, without recursion, because the caller controls the depth. */
function rejectAmbiguousJson(text: string): void {
	const open: (Set<string> | null)[] = []
	let expectsKey = false
	for (let i = 0; i < text.length; i++) {
		const c = text.charCodeAt(i)
		if (c === 0x22) {
			const end = endOfString(text, i)
			const raw = text.slice(i, end)
			const clean = raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1)
			if (clean.includes('\0') || !clean.isWellFormed())
				throw malformedError('a text contains a NUL character or a lone surrogate; remove it')
			const keys = open.at(-1)
			if (expectsKey && keys) {
				if (clean === '__proto__') throw malformedError('an object has the key __proto__; use another name')
				if (keys.has(clean)) throw malformedError('an object contains the same key twice; remove one')
				keys.add(clean)
			}
			expectsKey = false
			i = end - 1
		} else if (c === 0x7b || c === 0x5b) {
			if (open.length >= MAX_DEPTH) throw malformedError(`the body is nested deeper than ${MAX_DEPTH} levels`)
			open.push(c === 0x7b ? new Set() : null)
			expectsKey = c === 0x7b
		} else if (c === 0x7d || c === 0x5d) {
			open.pop()
			expectsKey = false
		} else if (c === 0x2c) {
			expectsKey = open.at(-1) instanceof Set
		}
	}
}

function endOfString(text: string, start: number): number {
	for (let i = start + 1; ; i++) {
		const c = text.charCodeAt(i)
		if (c === 0x5c) i++
		else if (c === 0x22) return i + 1
	}
}
