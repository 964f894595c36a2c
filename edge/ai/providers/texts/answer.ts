import { z } from 'zod'
import { ProviderError } from '../clients/provider-error.ts'

export type JsonSchema = Record<string, unknown>

/** Returns the JSON schema of an answer in the form that all providers accept. */
export function toJsonSchema(schema: z.ZodType): JsonSchema {
	const { $schema: _, ...rest } = z.toJSONSchema(schema) as JsonSchema
	return rest
}

/** Parses a model's text, without extra keys. Throws `ProviderError`. */
export function readAnswer<S extends z.ZodType>(schema: S, text: string): z.output<S> {
	const parsed = schema.safeParse(parseLoosely(text))
	if (parsed.success) return parsed.data
	throw new ProviderError('unusable', 'the answer does not match the requested form')
}

/** Many models wrap JSON in Markdown fences or sentences. */
function parseLoosely(text: string): unknown {
	const [from, to] = [text.indexOf('{'), text.lastIndexOf('}')]
	for (const part of [text, text.slice(from, to + 1)])
		try {
			return JSON.parse(part)
		} catch {}
	return undefined
}
