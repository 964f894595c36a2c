import type { z } from 'zod'
import { absent } from './absent.ts'
import { deriveCandidates, listCandidates } from './find-value.ts'
import { trueFlags } from './vocabulary/flags.ts'

/** The parts of a definition that hold other schemas. The types of zod list them for each kind of schema alone. */
type Definition = {
	type: z.core.$ZodTypeDef['type']
	shape: Record<string, z.ZodType>
	element: z.ZodType
	innerType?: z.ZodType
	items: z.ZodType[]
	options: z.ZodType[]
	in: z.ZodType
	out: z.ZodType
	keyType: z.ZodType
	valueType: z.ZodType
	values: unknown[]
	entries: Record<string, unknown>
	defaultValue: unknown
}

const definitionOf = (schema: z.ZodType) => schema._zod.def as unknown as Definition
const accepts = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success

/**
 * Returns an example of what a schema accepts, the same each time, or `absent`. It takes the examples in the metadata of
 * the schema first, then the vocabulary, then what follows from the schema. It throws if there is nothing.
 */
export function composeExample(schema: z.ZodType, path: readonly string[]): unknown {
	const { examples, id } = (schema.meta() ?? {}) as { examples?: unknown[]; id?: string }
	if (examples?.[0] !== undefined) return examples[0]
	const definition = definitionOf(schema)
	const { innerType } = definition
	const at = id === undefined || innerType ? path : [...path, id]
	for (const candidate of listCandidates(path))
		for (const value of readingsOf(candidate))
			if (accepts(schema, value === absent ? undefined : value)) return value
	if (innerType)
		return definition.type === 'default'
			? composeDefaulted(definition, innerType, at)
			: composeExample(innerType, at)
	const composed = composeByType(schema, definition, at)
	if (composed !== undefined) return composed
	for (const derived of deriveCandidates(schema, path.at(-1) ?? ''))
		if (accepts(schema, derived)) return derived
	throw missing(at, definition.type)
}

/** A field that examples leave out is null where it can't be left out, and a number in a path is text. */
function readingsOf(candidate: unknown): unknown[] {
	if (candidate === absent) return [absent, null]
	return typeof candidate === 'number' ? [candidate, String(candidate)] : [candidate]
}

const missing = (path: readonly string[], type: string) =>
	new Error(`no example for ${path.join('.')} (${type}); add one to schema/contract/kit/examples/vocabulary`)

function composeByType(schema: z.ZodType, definition: Definition, path: readonly string[]): unknown {
	switch (definition.type) {
		case 'object':
			return composeObject(definition.shape, path)
		case 'array':
			return definition.element._zod.def.type === 'never' ? [] : [composeExample(definition.element, path)]
		case 'tuple':
			return definition.items.map((item) => composeExample(item, path))
		case 'union':
			return composeFirst(definition.options, schema, path)
		case 'pipe':
			return composeExample(
				definition.in._zod.def.type === 'transform' ? definition.out : definition.in,
				path,
			)
		case 'record':
			return composeRecord(definition, path)
		case 'literal':
			return definition.values[0]
		case 'enum':
			return Object.values(definition.entries)[0]
		case 'boolean':
			return trueFlags.has(path.at(-1) ?? '')
		case 'null':
			return null
		default:
			return undefined
	}
}

const composeDefaulted = ({ defaultValue }: Definition, innerType: z.ZodType, path: readonly string[]) =>
	['string', 'number', 'boolean'].includes(typeof defaultValue)
		? defaultValue
		: composeExample(innerType, path)

function composeObject(shape: Record<string, z.ZodType>, path: readonly string[]): object {
	const fields = Object.entries(shape).map(
		([name, field]) => [name, composeExample(field, [...path, name])] as const,
	)
	return Object.fromEntries(fields.filter(([, value]) => value !== absent))
}

/** Not every option can be composed, such as one that a refinement excludes. */
function composeFirst(options: z.ZodType[], union: z.ZodType, path: readonly string[]): unknown {
	let problem: unknown
	for (const option of options)
		try {
			const value = composeExample(option, path)
			if (accepts(union, value)) return value
		} catch (error) {
			problem ??= error
		}
	throw problem ?? missing(path, 'union')
}

function composeRecord({ keyType, valueType }: Definition, path: readonly string[]): object | undefined {
	const { entries } = definitionOf(keyType)
	return (
		entries && Object.fromEntries(Object.values(entries).map((key) => [key, composeExample(valueType, path)]))
	)
}
