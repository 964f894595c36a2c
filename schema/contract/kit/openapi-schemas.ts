import { z } from 'zod'

export type JsonSchema = { [key: string]: unknown }
type Io = 'input' | 'output'

/**
 * Prints zod schemas as JSON Schema. A schema with `.meta({ id })` becomes a component; two different schemas with the
 * same id throw. A schema whose input differs from its output (defaults, transforms) is printed twice, the input as
 * `NameInput`.
 */
export class SchemaPrinter {
	readonly #outputs = new Map<string, JsonSchema>()
	readonly #inputs = new Map<string, JsonSchema>()

	print(schema: z.ZodType, io: Io): JsonSchema {
		// zod prints the outermost schema in full. Inside a wrapper, a named schema becomes a reference.
		const { properties, $defs = {} } = z.toJSONSchema(z.object({ wrapped: schema }), {
			io,
			target: 'draft-2020-12',
			override: ({ jsonSchema }) => removeNoise(jsonSchema, io),
		})
		const components = io === 'input' ? this.#inputs : this.#outputs
		for (const [name, { id: _, ...definition }] of Object.entries($defs as Record<string, JsonSchema>)) {
			if (name.startsWith('__')) throw new Error('a recursive schema needs a name; add .meta({ id })')
			const previous = components.get(name)
			if (previous && !isSame(previous, definition))
				throw new Error(`two different schemas have the name ${name}; rename one`)
			components.set(name, definition)
		}
		const printed = (properties as Record<string, JsonSchema>).wrapped as JsonSchema
		return mapRefs(printed, (name) => `${io}:${name}`)
	}

	/** Resolves the provisional references. Whether a name needs `Input` is known only after printing everything. */
	finish<T>(document: T): T {
		return mapRefs(document, (ref) => {
			const [io, name] = ref.split(':') as [Io, string]
			return `#/components/schemas/${io === 'input' && this.#differs(name) ? `${name}Input` : name}`
		})
	}

	components(): Record<string, JsonSchema> {
		const all: [string, JsonSchema][] = []
		for (const [name, definition] of this.#outputs)
			all.push([name, mapRefs(definition, (n) => `output:${n}`)])
		for (const [name, definition] of this.#inputs) {
			if (this.#differs(name)) all.push([`${name}Input`, mapRefs(definition, (n) => `input:${n}`)])
			else if (!this.#outputs.has(name)) all.push([name, mapRefs(definition, (n) => `input:${n}`)])
		}
		return Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : 1)))
	}

	/** Checks whether input and output of a schema differ, in the schema itself or in one that it contains. */
	#differs(name: string, ancestors: readonly string[] = []): boolean {
		const output = this.#outputs.get(name)
		const input = this.#inputs.get(name)
		if (!output || !input || ancestors.includes(name)) return false
		if (!isSame(output, input)) return true
		return refsIn(input).some((inner) => this.#differs(inner, [...ancestors, name]))
	}
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

const nameOf = (ref: string) => ref.replace(/^#\/\$defs\//, '')

function mapRefs<T>(value: T, rename: (name: string) => string): T {
	if (Array.isArray(value)) return value.map((item) => mapRefs(item, rename)) as T
	if (typeof value !== 'object' || value === null) return value
	return Object.fromEntries(
		Object.entries(value).map(([key, inner]) => [
			key,
			key === '$ref' && typeof inner === 'string' && !inner.startsWith('#/components/')
				? rename(nameOf(inner))
				: mapRefs(inner, rename),
		]),
	) as T
}

function refsIn(value: unknown): string[] {
	const names: string[] = []
	mapRefs(value, (name) => {
		names.push(name)
		return name
	})
	return names
}

/** Removes details that follow from the format or from JSON itself. */
function removeNoise(schema: JsonSchema, io: Io): void {
	if (schema.format === 'date-time' || schema.format === 'email') delete schema.pattern
	if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
	if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
	listProperties(schema)
	nameItems(schema)
	// Responses may gain fields in later versions, so clients must accept unknown ones.
	if (io === 'output' && schema.additionalProperties === false) delete schema.additionalProperties
}

/** A record that needs all of its keys has these properties. */
function listProperties(schema: JsonSchema): void {
	const { propertyNames, additionalProperties, required } = schema
	if (!propertyNames || !Array.isArray(required)) return
	schema.properties = Object.fromEntries(required.map((name) => [name, additionalProperties]))
	schema.additionalProperties = false
	delete schema.propertyNames
}

/** A tuple of equal items is an array of that length, which more tools understand. */
function nameItems(schema: JsonSchema): void {
	const { prefixItems } = schema
	if (!Array.isArray(prefixItems) || !prefixItems.every((item) => isSame(item, prefixItems[0]))) return
	Object.assign(schema, {
		items: prefixItems[0],
		minItems: prefixItems.length,
		maxItems: prefixItems.length,
	})
	delete schema.prefixItems
}
