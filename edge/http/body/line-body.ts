import type { Operation } from '#schema/contract/kit/operation.ts'
import { readMediaType } from '../headers.ts'
import { readBodyChunks } from './body-chunks.ts'

export const isLineBody = ({ lineBody }: Operation, { headers }: Request): boolean =>
	lineBody?.types.includes(readMediaType(headers)) ?? false

/** Reads a body of lines. Replaces invalid UTF-8, so that it damages only its own line. */
export async function readLines(request: Request, maxBytes: number): Promise<string[]> {
	const decoder = new TextDecoder()
	let text = ''
	for await (const chunk of readBodyChunks(request, maxBytes)) text += decoder.decode(chunk, { stream: true })
	text = (text + decoder.decode()).trimEnd()
	return text === '' ? [] : text.split('\n')
}
