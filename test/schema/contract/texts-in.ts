import { z } from 'zod'

/** A text field or a record key of a schema, with its path such as `profile.*.label`. */
export type TextField = { path: string; schema: z.ZodType }

const unwrap = (schema: z.ZodType): z.ZodType | null => {
	const kinds = [z.ZodOptional, z.ZodNullable, z.ZodDefault, z.ZodPrefault]
	if (kinds.some((kind) => schema instanceof kind)) return (schema as z.ZodOptional).unwrap() as z.ZodType
	// The first part of a pipe accepts the input.
	return schema instanceof z.ZodPipe ? (schema.in as z.ZodType) : null
}

/** Returns every text field in a schema. A pipe counts as one field, because both of its parts check the text. */
export function textsIn(schema: z.ZodType, path = ''): TextField[] {
	const pathOf = (name: string) => (path === '' ? name : `${path}.${name}`)
	if (schema instanceof z.ZodPipe && schema.in instanceof z.ZodString) return [{ path, schema }]
	const inner = unwrap(schema)
	if (inner) return textsIn(inner, path)
	if (schema instanceof z.ZodObject)
		return Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([name, each]) =>
			textsIn(each, pathOf(name)),
		)
	if (schema instanceof z.ZodArray) return textsIn(schema.element as z.ZodType, pathOf('*'))
	if (schema instanceof z.ZodTuple)
		return (schema.def.items as z.ZodType[]).flatMap((each) => textsIn(each, pathOf('*')))
	if (schema instanceof z.ZodUnion)
		return (schema.options as z.ZodType[]).flatMap((each) => textsIn(each, path))
	if (schema instanceof z.ZodRecord)
		return [
			...textsIn(schema.keyType as z.ZodType, pathOf('(key)')),
			...textsIn(schema.valueType as z.ZodType, pathOf('*')),
		]
	if (schema instanceof z.ZodString || schema instanceof z.ZodStringFormat) return [{ path, schema }]
	if (isTextless(schema)) return []
	throw new Error(`${path}: ${schema.constructor.name} is unknown here; handle it in textsIn`)
}

const isTextless = (schema: z.ZodType): boolean =>
	[
		z.ZodNumber,
		z.ZodNumberFormat,
		z.ZodBoolean,
		z.ZodEnum,
		z.ZodLiteral,
		z.ZodNull,
		z.ZodNever,
		z.ZodTransform,
		// Checked again before use, such as the events of players.
		z.ZodUnknown,
	].some((kind) => schema instanceof kind)
