import { bodyChunks } from './body-chunks.ts'
import { AppError } from './errors.ts'

/** Nothing in the API needs a larger JSON body; files go other ways. */
export const MAX_JSON_BYTES = 1_048_576
const MAX_DEPTH = 32

const malformed = (message: string) => new AppError('malformed', message)

/**
 * Reads a JSON body as strictly as it can be read: bounded while it streams, valid UTF-8, no key twice in an object
 * (two programs could read two meanings), no NUL and no lone surrogates (the database could not give them back).
 */
export async function readJson(request: Request): Promise<unknown> {
	const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
	if (type !== 'application/json')
		throw new AppError('unsupported_media_type', 'send the body as content-type: application/json')
	const text = await readText(request)
	if (text === '') return undefined
	let value: unknown
	try {
		value = JSON.parse(text)
	} catch {
		throw malformed('the body is not valid JSON')
	}
	refuseTwins(text)
	return value
}

async function readText(request: Request): Promise<string> {
	const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
	let text = ''
	try {
		for await (const chunk of bodyChunks(request, MAX_JSON_BYTES))
			text += decoder.decode(chunk, { stream: true })
		return text + decoder.decode()
	} catch (error) {
		if (error instanceof AppError && error.code !== 'malformed') throw error
		throw malformed('the body is not valid UTF-8, or broke off')
	}
}

/** Walks text that is known to be JSON. One pass, no recursion: depth is the caller's to choose. */
function refuseTwins(text: string): void {
	const open: (Set<string> | null)[] = []
	let expectsKey = false
	for (let i = 0; i < text.length; i++) {
		const c = text.charCodeAt(i)
		if (c === 0x22) {
			const end = endOfString(text, i)
			const raw = text.slice(i, end)
			const clean = raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1)
			if (clean.includes('\0') || !clean.isWellFormed())
				throw malformed('a text holds a NUL character or half of a surrogate pair')
			const keys = open.at(-1)
			if (expectsKey && keys) {
				if (keys.has(clean)) throw malformed('an object names the same key twice')
				keys.add(clean)
			}
			expectsKey = false
			i = end - 1
		} else if (c === 0x7b || c === 0x5b) {
			if (open.length >= MAX_DEPTH) throw malformed(`the body is nested deeper than ${MAX_DEPTH} levels`)
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
