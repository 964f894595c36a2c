import { z } from 'zod'
import type { OpenBody } from './open-bodies.ts'

/** The parts of a definition that hold other schemas. The types of zod list them for each kind of schema alone. */
type Definition = z.core.$ZodTypeDef & {
	shape?: Record<string, z.ZodType>
	catchall?: z.ZodType
	options?: readonly z.ZodType[]
	items?: readonly z.ZodType[]
} & { [part in (typeof parts)[number]]?: z.ZodType | null }

const parts = ['element', 'innerType', 'in', 'out', 'left', 'right', 'valueType', 'rest'] as const

/** One copy per schema, so that shared schemas keep one name in the OpenAPI document. */
const copies = new WeakMap<z.ZodType, z.ZodType>()

/** Returns the schema of a request body that rejects unknown fields at any depth, except in what is `open`. */
export function strictBody(body: z.ZodType, open: OpenBody | undefined): z.ZodType {
	if (!open) return strictCopy(body)
	return open.field === undefined ? body : strictCopy(body, open.field)
}

/** Copies a schema instead of changing it, because responses may share it, and they stay open. */
function strictCopy(schema: z.ZodType, openField?: string): z.ZodType {
	const known = openField === undefined && copies.get(schema)
	if (known) return known
	const changes = changesOf(schema._zod.def as Definition, openField)
	const copy =
		Object.keys(changes).length > 0
			? z.core.clone(schema, z.core.util.mergeDefs(schema._zod.def, changes) as typeof schema._zod.def)
			: schema
	const meta = z.globalRegistry.get(schema)
	if (copy !== schema && meta) z.globalRegistry.add(copy, meta)
	if (openField === undefined) copies.set(schema, copy)
	return copy
}

function changesOf(definition: Definition, openField: string | undefined): Partial<Definition> {
	const { type, shape, catchall, options, items } = definition
	if (type === 'lazy') throw new Error('a request body must not be recursive')
	const changes: Partial<Definition> = {}
	if (shape) {
		changes.shape = Object.fromEntries(
			Object.entries(shape).map(([name, field]) => [name, name === openField ? field : strictCopy(field)]),
		)
		changes.catchall = catchall ?? z.never()
	}
	if (options) changes.options = options.map((option) => strictCopy(option, openField))
	if (items) changes.items = items.map((item) => strictCopy(item))
	for (const part of parts) {
		const inner = definition[part]
		const copy = inner && strictCopy(inner, openField)
		if (copy && copy !== inner) changes[part] = copy
	}
	return changes
}
