import { keepsResponses } from '#schema/contract/kit/idempotency-key.ts'
import type { OpenApiDocument } from '#schema/contract/kit/openapi.ts'
import type { JsonSchema } from '#schema/contract/kit/openapi-schemas.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'
import type { NamedOperation } from '#schema/contract/sdk/names.ts'
import * as bits from '../../../sdk/src/operation.ts'
import type { Field } from './type-printer.ts'

/** The description of one operation for the SDK. */
export type DescribedOperation = {
	op: Operation
	name: string
	route: string
	traits: number
	/** The names of the query parameters, if the operation also has a body. */
	query: string[]
	parameters: Field[]
	body: JsonSchema | undefined
	output: JsonSchema | 'file' | 'nothing'
	item: JsonSchema | undefined
}

type Content = Record<string, { schema?: JsonSchema }>
type Documented = {
	parameters: {
		$ref?: string
		name: string
		in: string
		required: boolean
		description?: string
		schema: JsonSchema
	}[]
	requestBody?: { required: boolean; content: Content }
	responses: Record<string, { content?: Content }>
}

/** Describes an operation from the OpenAPI document. Throws if two fields would have the same name. */
export function describeOperation(
	{ op, name }: NamedOperation,
	document: OpenApiDocument,
): DescribedOperation {
	const documented = document.paths[op.path]?.[op.method] as unknown as Documented
	const components = document.components.schemas ?? {}
	const sendsBody = op.method !== 'delete' && op.method !== 'get'
	const body = sendsBody && op.body ? chooseForm(op, documented.requestBody?.content) : undefined
	const parameters = documented.parameters
		.filter(({ in: location }) => location === 'path' || location === 'query')
		.map(({ name, required, description, schema }) => ({
			name,
			required,
			schema: { ...schema, ...(description && { description }) },
		}))
	if (op.takesBytes) parameters.push({ name: 'body', required: !op.takesBytes.optional, schema: {} })
	checkNames(op, [...parameters.map(({ name }) => name), ...listFields(body, components)])
	const response = resolve(documented.responses[op.status]?.content?.['application/json']?.schema, components)
	const properties = (response?.properties ?? {}) as Record<string, JsonSchema>
	const isWrapped = Object.keys(properties).join() === 'data' || (op.paged && 'data' in properties)
	const isNumbered = 'records' in properties && 'has_next_page' in properties
	const isCursorPaged = op.paged && !isNumbered
	const output = isWrapped
		? properties.data
		: documented.responses[op.status]?.content?.['application/json']?.schema
	const list = isWrapped ? resolve(output, components) : resolve(properties.records, components)
	const isStream = op.answersWith?.startsWith('text/event-stream')
	return {
		op,
		name,
		route: `${op.method.toUpperCase()} ${op.path}`,
		traits: [
			keepsResponses(op) && bits.IDEMPOTENT,
			isWrapped && bits.WRAPPED,
			isCursorPaged && bits.CURSOR_PAGED,
			isNumbered && bits.NUMBER_PAGED,
			body && bits.JSON_BODY,
			op.takesBytes && bits.BYTES_BODY,
			op.answersWith !== undefined && !isStream && bits.FILE,
			isStream && bits.EVENT_STREAM,
			!op.response && !op.answersWith && bits.EMPTY,
		].reduce<number>((sum, bit) => sum + (bit || 0), 0),
		query: body || op.takesBytes ? Object.keys(op.query?.shape ?? {}) : [],
		parameters,
		body,
		output: output ?? (op.answersWith === undefined ? 'nothing' : 'file'),
		item: isCursorPaged || isNumbered ? (list?.items as JsonSchema) : undefined,
	}
}

/** Picks our own form of a body; the others are for clients of Circle. */
function chooseForm(
	{ bodyWrapper, circleBody }: Operation,
	content: Content | undefined,
): JsonSchema | undefined {
	const schema = content?.['application/json']?.schema
	return bodyWrapper || circleBody ? (schema?.oneOf as JsonSchema[] | undefined)?.[0] : schema
}

/** Callers pass path, query and body as one object. */
function checkNames(op: Operation, names: readonly string[]): void {
	const repeated = names.find((name, index) => names.indexOf(name) !== index)
	if (repeated !== undefined)
		throw new Error(
			`${op.id} has ${repeated} in more than one of path, query and body; rename one in the contract`,
		)
}

function listFields(schema: JsonSchema | undefined, components: Record<string, JsonSchema>): string[] {
	const resolved = resolve(schema, components)
	const forms = (resolved?.oneOf ?? resolved?.anyOf) as JsonSchema[] | undefined
	if (forms) return [...new Set(forms.flatMap((form) => listFields(form, components)))]
	return Object.keys(resolved?.properties ?? {})
}

function resolve(
	schema: JsonSchema | undefined,
	components: Record<string, JsonSchema>,
): JsonSchema | undefined {
	const ref = schema?.$ref
	return typeof ref === 'string' ? components[ref.slice(ref.lastIndexOf('/') + 1)] : schema
}
