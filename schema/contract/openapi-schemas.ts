import { z } from 'zod'

export type JsonSchema = { [key: string]: unknown }
type Io = 'input' | 'output'

/**
 * Prints zod schemas as JSON Schema. Those with a `.meta({ id })` become components and are referred to; two different
 * ones under one name are a mistake and throw. One that reads differently on its way in (defaults, transforms) than on
 * its way out is printed twice, the incoming one as `NameInput`.
 */
export class SchemaPrinter {
	readonly #outgoing = new Map<string, JsonSchema>()
	readonly #incoming = new Map<string, JsonSchema>()

	print(schema: z.ZodType, io: Io): JsonSchema {
		// Wrapped, so that a named schema is a reference at the top as it is anywhere else.
		const { properties, $defs = {} } = z.toJSONSchema(z.object({ it: schema }), {
			io,
			target: 'draft-2020-12',
			override: ({ jsonSchema }) => tidy(jsonSchema, io),
		})
		const kept = io === 'input' ? this.#incoming : this.#outgoing
		for (const [name, { id: _, ...definition }] of Object.entries($defs as Record<string, JsonSchema>)) {
			if (name.startsWith('__')) throw new Error('a schema that holds itself needs a name: .meta({ id })')
			const before = kept.get(name)
			if (before && !same(before, definition)) throw new Error(`two different schemas are called ${name}`)
			kept.set(name, definition)
		}
		const printed = (properties as Record<string, JsonSchema>).it as JsonSchema
		return mapRefs(printed, (name) => `${io}:${name}`)
	}

	/** Names are known only when everything was printed, so references are finished here. */
	finish<T>(document: T): T {
		return mapRefs(document, (ref) => {
			const [io, name] = ref.split(':') as [Io, string]
			return `#/components/schemas/${io === 'input' && this.#differs(name) ? `${name}Input` : name}`
		})
	}

	components(): Record<string, JsonSchema> {
		const all: [string, JsonSchema][] = []
		for (const [name, definition] of this.#outgoing)
			all.push([name, mapRefs(definition, (n) => `output:${n}`)])
		for (const [name, definition] of this.#incoming) {
			if (this.#differs(name)) all.push([`${name}Input`, mapRefs(definition, (n) => `input:${n}`)])
			else if (!this.#outgoing.has(name)) all.push([name, mapRefs(definition, (n) => `input:${n}`)])
		}
		return Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : 1)))
	}

	/** Also true for one that only holds such a one. */
	#differs(name: string, above: readonly string[] = []): boolean {
		const outgoing = this.#outgoing.get(name)
		const incoming = this.#incoming.get(name)
		if (!outgoing || !incoming || above.includes(name)) return false
		if (!same(outgoing, incoming)) return true
		return refsIn(incoming).some((inner) => this.#differs(inner, [...above, name]))
	}
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

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

/** zod says more than a reader wants: what follows from the format, and from JSON itself. */
function tidy(schema: JsonSchema, io: Io): void {
	if (schema.format === 'date-time' || schema.format === 'email') delete schema.pattern
	if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
	if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
	// Answers may gain fields, which is no break: clients must not refuse what they do not know.
	if (io === 'output' && schema.additionalProperties === false) delete schema.additionalProperties
}
