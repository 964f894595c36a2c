import type { JsonSchema } from '#schema/contract/kit/openapi-schemas.ts'

export type Direction = 'input' | 'output'
type Schemas = Readonly<Record<string, JsonSchema>>

/** Prints JSON Schemas as TypeScript. Each named component is printed once, as a type of that name. */
export class TypePrinter {
	readonly #schemas: Schemas
	readonly #used = { input: new Set<string>(), output: new Set<string>() }

	constructor(schemas: Schemas) {
		this.#schemas = schemas
	}

	/**
	 * In responses, enums also allow unknown values, which a newer server may send. In requests they don't, so that
	 * misspelled values fail to compile.
	 */
	print(schema: JsonSchema, direction: Direction, indent = ''): string {
		const { $ref, anyOf, oneOf, allOf, enum: values, type } = schema as Printable
		if ($ref !== undefined) return this.#printRef($ref, direction)
		if ('const' in schema) return JSON.stringify(schema.const)
		if (values) return printValues(values, direction)
		const union = anyOf ?? oneOf
		if (union) return this.#join(union, ' | ', direction, indent)
		if (allOf) return this.#join(allOf, ' & ', direction, indent)
		if (Array.isArray(type))
			return this.#join(
				type.map((each) => ({ ...schema, type: each })),
				' | ',
				direction,
				indent,
			)
		if (type === 'array') return this.#printArray(schema as Printable, direction, indent)
		if (type === 'object') return this.#printObject(schema as Printable, direction, indent)
		if (type === 'integer') return 'number'
		return type === undefined ? 'unknown' : type
	}

	/** Prints the fields of an object, each with its description. */
	printFields(fields: readonly Field[], direction: Direction, indent: string): string {
		const absent = direction === 'input' ? ' | undefined' : ''
		return fields
			.map(({ name, schema, required }) => {
				const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
				const type = this.print(schema, direction, indent)
				const text = typeof schema.description === 'string' ? schema.description : ''
				return `${printDoc([text, schema.deprecated === true ? '@deprecated' : ''], indent)}${indent}${key}${required ? '' : '?'}: ${type}${required ? '' : absent}\n`
			})
			.join('')
	}

	/** Prints every referenced component, including those that only other components reference. */
	printComponents(): string {
		const printed = new Map<string, string>()
		for (let size = -1; size !== printed.size; ) {
			size = printed.size
			for (const direction of ['output', 'input'] as const)
				for (const name of this.#used[direction]) {
					const typeName = this.#typeName(name, direction)
					if (!printed.has(typeName)) printed.set(typeName, this.#printComponent(name, typeName, direction))
				}
		}
		return [...printed]
			.toSorted(([a], [b]) => (a < b ? -1 : 1))
			.map(([, text]) => text)
			.join('')
	}

	#printComponent(name: string, typeName: string, direction: Direction): string {
		const { description, ...schema } = this.#find(name)
		const text = typeof description === 'string' ? description : ''
		return `${printDoc([text])}export type ${typeName} = ${this.print(schema, direction)}\n`
	}

	#printRef(ref: string, direction: Direction): string {
		const name = ref.slice(ref.lastIndexOf('/') + 1)
		this.#used[direction].add(name)
		return this.#typeName(name, direction)
	}

	/** Names a component. If requests allow fewer values than responses, the type for requests has a name of its own. */
	#typeName(name: string, direction: Direction): string {
		return direction === 'input' && !name.endsWith('Input') && this.#hasValues(this.#find(name), [name])
			? `${name}Input`
			: name
	}

	#hasValues(schema: unknown, ancestors: readonly string[]): boolean {
		if (typeof schema !== 'object' || schema === null) return false
		const { $ref, enum: values } = schema as Printable
		if ($ref !== undefined) {
			const name = $ref.slice($ref.lastIndexOf('/') + 1)
			return !ancestors.includes(name) && this.#hasValues(this.#find(name), [...ancestors, name])
		}
		return isOpen(values) || Object.values(schema).some((inner) => this.#hasValues(inner, ancestors))
	}

	#find(name: string): JsonSchema {
		const schema = this.#schemas[name]
		if (!schema) throw new Error(`the document has no component ${name}; run: npm run openapi`)
		return schema
	}

	#join(parts: readonly JsonSchema[], sign: string, direction: Direction, indent: string): string {
		const texts = parts.map((part) => this.print(part, direction, indent))
		return [...new Set(texts)]
			.map((text) => (sign === ' & ' && isUnion(text) ? `(${text})` : text))
			.join(sign)
	}

	#printArray({ items = {} }: Printable, direction: Direction, indent: string): string {
		const item = this.print(items, direction, indent)
		return isUnion(item) ? `(${item})[]` : `${item}[]`
	}

	#printObject(schema: Printable, direction: Direction, indent: string): string {
		const { properties, required = [], additionalProperties, propertyNames } = schema
		if (!properties) {
			const keys = propertyNames?.enum ? this.print(propertyNames, direction) : 'string'
			const values = typeof additionalProperties === 'object' ? additionalProperties : {}
			const record = `Record<${keys}, ${this.print(values, direction, indent)}>`
			return keys === 'string' ? record : `Partial<${record}>`
		}
		const fields = Object.entries(properties).map(([name, schema]) => ({
			name,
			schema,
			required: required.includes(name),
		}))
		return `{\n${this.printFields(fields, direction, `${indent}\t`)}${indent}}`
	}
}

export type Field = { name: string; schema: JsonSchema; required: boolean }

type Printable = JsonSchema & {
	$ref?: string
	anyOf?: JsonSchema[]
	oneOf?: JsonSchema[]
	allOf?: JsonSchema[]
	enum?: unknown[]
	type?: string | string[]
	items?: JsonSchema
	properties?: Record<string, JsonSchema>
	required?: string[]
	additionalProperties?: JsonSchema | boolean
	propertyNames?: JsonSchema & { enum?: unknown[] }
}

const isOpen = (values: unknown): boolean =>
	Array.isArray(values) && values.length > 0 && values.every((value) => typeof value === 'string')

function printValues(values: readonly unknown[], direction: Direction): string {
	// The schema of a flag in the query.
	if (direction === 'input' && values.length === 2 && values.includes('true') && values.includes('false'))
		return 'boolean'
	const union = values.map((value) => JSON.stringify(value)).join(' | ')
	return direction === 'output' && isOpen(values) ? `${union} | (string & {})` : union
}

/** Checks whether a type is a union or an intersection outside all brackets and quotes. */
export function isUnion(type: string): boolean {
	const code = type.replace(/\/\*\*.*?\*\/|"(?:[^"\\]|\\.)*"/gs, '')
	let depth = 0
	for (const sign of code) {
		if ('{(<['.includes(sign)) depth++
		else if ('})>]'.includes(sign)) depth--
		else if (depth === 0 && '|&'.includes(sign)) return true
	}
	return false
}

/** Prints a doc comment of one paragraph each, or nothing. */
export function printDoc(paragraphs: readonly string[], indent = ''): string {
	const lines = paragraphs
		.filter(Boolean)
		.flatMap((text, index) => [...(index > 0 ? [''] : []), ...text.split('\n')])
		.map((line) => line.replaceAll('*/', '*\\/').trimEnd())
	if (lines.length === 0) return ''
	if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
	return `${indent}/**\n${lines.map((line) => `${indent} *${line && ` ${line}`}\n`).join('')}${indent} */\n`
}
