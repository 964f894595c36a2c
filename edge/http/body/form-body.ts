import type { Operation } from '#schema/contract/kit/operation.ts'
import { AppError } from '../errors.ts'
import { readMediaType } from '../headers.ts'
import { readBodyChunks } from './body-chunks.ts'

const FORM_TYPE = 'application/x-www-form-urlencoded'
const MAX_FORM_BYTES = 16_384

export const isFormBody = ({ formBody }: Operation, { headers }: Request): boolean =>
	formBody === true && readMediaType(headers) === FORM_TYPE

/**
 * Parses a form as RFC 6749 requires: a parameter without a value counts as omitted, and none may be repeated.
 * Returns undefined for an empty body.
 */
export async function readForm(request: Request): Promise<Record<string, string> | undefined> {
	const decoder = new TextDecoder()
	let text = ''
	for await (const chunk of readBodyChunks(request, MAX_FORM_BYTES))
		text += decoder.decode(chunk, { stream: true })
	text += decoder.decode()
	if (text === '') return undefined
	const fields = new Map<string, string>()
	for (const [name, value] of new URLSearchParams(text)) {
		if (fields.has(name)) throw new AppError('malformed', `${name.slice(0, 40)}: must not be repeated`)
		fields.set(name, value)
	}
	return Object.fromEntries([...fields].filter(([, value]) => value !== ''))
}
