import fc from 'fast-check'
import { z } from 'zod'

/** The parts of JSON Schema that the contract uses. */
type Schema = {
	type?: string
	const?: unknown
	enum?: unknown[]
	pattern?: string
	format?: string
	anyOf?: Schema[]
	oneOf?: Schema[]
	properties?: Record<string, Schema>
	items?: Schema
}

export const toJsonSchema = (schema: z.ZodType): Schema => z.toJSONSchema(schema) as Schema

const isText = ({ type, enum: values, const: value }: Schema) =>
	type === 'string' && values === undefined && value === undefined

/** Returns the paths at which any of the given texts is valid: `rungs.*.preset`. */
export function pathsAccepting(schema: Schema, texts: readonly string[], path = ''): string[] {
	const at = (name: string) => (path === '' ? name : `${path}.${name}`)
	const places = [
		...(schema.anyOf ?? schema.oneOf ?? []).flatMap((each) => pathsAccepting(each, texts, path)),
		...Object.entries(schema.properties ?? {}).flatMap(([name, each]) =>
			pathsAccepting(each, texts, at(name)),
		),
		...(schema.items ? pathsAccepting(schema.items, texts, at('*')) : []),
		...(isText(schema) && texts.some((text) => accepts(schema, text)) ? [path] : []),
	]
	return [...new Set(places)]
}

const accepts = ({ pattern, format }: Schema, text: string): boolean =>
	format === 'uri' ? URL.canParse(text) : pattern === undefined || new RegExp(pattern).test(text)

/** Returns variants of the example with another text at each string of the contract: valid ones, or `foreign`. */
export function withOtherTexts(
	schema: Schema,
	example: unknown,
	foreign: fc.Arbitrary<string> | null,
): fc.Arbitrary<unknown> {
	const choices = schema.anyOf ?? schema.oneOf
	if (choices) {
		const matching = choices.filter((each) => matches(each, example))
		const nulls = choices.filter(({ type }) => type === 'null')
		const own = matching[0] ?? choices[0] ?? {}
		// The contract may allow a text that the example lacks.
		const word = choices.find(({ type }) => type === 'string')
		const arbitraries = [own, ...(word ? [word, ...nulls] : [])].map((each) =>
			withOtherTexts(each, example, foreign),
		)
		return fc.oneof(...arbitraries)
	}
	if (schema.type === 'null') return fc.constant(null)
	if (schema.const !== undefined) return fc.constant(schema.const)
	if (schema.type === 'string') {
		if (foreign) return foreign
		const own = fc.constant(example)
		if (schema.enum) return fc.oneof(own, fc.constantFrom(...schema.enum))
		return schema.pattern ? fc.oneof(own, fc.stringMatching(new RegExp(schema.pattern))) : own
	}
	if (schema.type === 'array' && Array.isArray(example))
		return fc.tuple(...example.map((each) => withOtherTexts(schema.items ?? {}, each, foreign)))
	if (schema.type === 'object' && typeof example === 'object' && example !== null)
		return fc.record(
			Object.fromEntries(
				Object.entries(schema.properties ?? {}).map(([name, each]) => [
					name,
					withOtherTexts(each, (example as Record<string, unknown>)[name], foreign),
				]),
			),
		)
	return fc.constant(example)
}

/** Picks the variant of a union with the example's kind. */
function matches({ type, properties }: Schema, example: unknown): boolean {
	if (example === null) return type === 'null'
	if (Array.isArray(example)) return type === 'array'
	if (typeof example !== 'object') return type === typeof example
	const kind = properties?.kind?.const
	return type === 'object' && (kind === undefined || kind === (example as { kind?: unknown }).kind)
}
