import type { z } from 'zod'
import type { JsonSchema } from '../openapi-schemas.ts'

/** Requires exactly one of several optional fields. The OpenAPI document lists one form for each. */
export const requireExactlyOne = <S extends z.ZodObject>(
	schema: S,
	names: readonly (keyof S['shape'] & string)[],
) =>
	schema
		.refine(
			(body) => names.filter((name) => (body as Record<string, unknown>)[name] !== undefined).length === 1,
			`send exactly one of ${names.slice(0, -1).join(', ')} and ${names.at(-1)}`,
		)
		.meta({ exactlyOneOf: names })

/** Prints the forms of a body of which a request has exactly one as `oneOf`. */
export function printForms(schema: JsonSchema): JsonSchema {
	const {
		exactlyOneOf: names,
		anyOf,
		...rest
	} = schema as JsonSchema & { exactlyOneOf?: string[]; anyOf?: Form[] }
	if (names) return { oneOf: names.map((name) => printForm(rest as Form, names, name)) }
	// Only one form of a union fits if each refuses the fields of the others.
	if (anyOf?.every((form) => form.additionalProperties === false)) return { ...rest, oneOf: anyOf }
	return schema
}

type Form = { properties: JsonSchema; required?: string[]; additionalProperties?: boolean }

const printForm = (schema: Form, names: string[], chosen: string): JsonSchema => ({
	...schema,
	properties: Object.fromEntries(
		Object.entries(schema.properties).filter(([name]) => name === chosen || !names.includes(name)),
	),
	required: [...(schema.required ?? []), chosen],
})
