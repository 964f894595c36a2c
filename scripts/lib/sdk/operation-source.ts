import { describeDeprecation } from '#schema/contract/kit/headers/deprecation.ts'
import { listErrorCodes } from '#schema/contract/kit/operation-errors.ts'
import { type ErrorCode, statusByCode } from '#schema/contract/kit/problem.ts'
import type { DescribedOperation } from './described-operation.ts'
import { isUnion, printDoc, type TypePrinter } from './type-printer.ts'

/** The source text of one operation and of its function. */
export type OperationSource = {
	name: string
	/** The traits, the route and the names of query parameters. */
	words: string
	operation: string
	method: (indent: string) => string
}

/** Prints an operation: its types, its constant, and its function in a resource. */
export function printOperation(described: DescribedOperation, printer: TypePrinter): OperationSource {
	const { op, name, route, traits, query } = described
	const input = printInput(described, printer)
	const output = printOutput(described, printer)
	const item = printItem(described, output.type, printer)
	const results = [output.type, ...(item ? [item] : [])].join(', ')
	const inputType = input.source ? input.type : 'Record<string, never>'
	const value = [
		`'${route}'`,
		...(traits > 0 || query.length > 0 ? [traits] : []),
		...(query.length > 0 ? [`'${query.join(' ')}'`] : []),
	]
	const notice = op.deprecated ? `@deprecated ${describeDeprecation(op.deprecated)}` : ''
	const signature = `${name.slice(name.lastIndexOf('.') + 1)}(input${input.isOptional ? '?' : ''}: ${inputType}, options?: CallOptions): Call<${results}>`
	return {
		name,
		words: [traits, route, ...query].join(' '),
		operation: `${input.source}${output.source}${printDoc([op.summary, notice])}export const ${op.id}: Operation<${inputType}, ${results}> = [${value.join(', ')}]\n`,
		method: (indent) =>
			`${printDoc([op.summary, shorten(op.description ?? ''), describe(described), notice], indent)}${indent}${signature}\n`,
	}
}

/** Callers pass path, query and body as one object. */
function printInput({ op, parameters, body }: DescribedOperation, printer: TypePrinter) {
	const fields = printer
		.printFields(parameters, 'input', '\t')
		.replace(/^\tbody(\??): unknown/m, '\tbody$1: FileBody')
	const bodyType = body && printer.print(body, 'input')
	const parts = [
		...(fields ? [`{\n${fields}}`] : []),
		...(bodyType ? [isUnion(bodyType) && fields ? `(${bodyType})` : bodyType] : []),
	]
	const type = `${toPascal(op.id)}Input`
	const isRequired = parameters.some(({ required }) => required)
	const needsBody = body !== undefined && !op.bodyOptional && !op.body?.safeParse({}).success
	return {
		type,
		source: parts.length > 0 ? `export type ${type} = ${parts.join(' & ')}\n` : '',
		isOptional: !isRequired && !needsBody,
	}
}

function printOutput({ op, output }: DescribedOperation, printer: TypePrinter) {
	if (output === 'nothing') return { type: 'undefined', source: '' }
	if (output === 'file') return { type: 'Response', source: '' }
	const printed = printer.print(output, 'output')
	if (!printed.includes('\n')) return { type: printed, source: '' }
	const type = `${toPascal(op.id)}Output`
	return { type, source: `export type ${type} = ${printed}\n` }
}

function printItem({ op, item, output }: DescribedOperation, outputType: string, printer: TypePrinter) {
	if (op.answersWith?.startsWith('text/event-stream')) return 'ServerSentEvent'
	if (!item) return undefined
	const printed = printer.print(item, 'output')
	if (!printed.includes('\n')) return printed
	const isList = typeof output === 'object' && output.type === 'array'
	return isList ? `${outputType}[number]` : `${outputType}['records'][number]`
}

const MAX_DESCRIPTION = 120

/** Keeps only the first sentences, so that the declarations stay small. The API reference has the full text. */
export function shorten(description: string): string {
	if (description.length <= MAX_DESCRIPTION) return description
	const end = description.lastIndexOf('. ', MAX_DESCRIPTION)
	return end > 0 ? description.slice(0, end + 1) : ''
}

/** Errors that every operation can return, so the documentation of an operation omits them. */
const common: ReadonlySet<ErrorCode> = new Set([
	'unauthorized',
	'bad_credentials_mix',
	'forbidden',
	'email_unverified',
	'second_factor_missing',
	'org_suspended',
	'too_many_requests',
	'validation',
	'malformed',
	'too_large',
	'unsupported_media_type',
	'request_timeout',
	'request_in_flight',
	'idempotency_mismatch',
	'internal',
	'unavailable',
	'insufficient_storage',
])

function describe({ op, route }: DescribedOperation): string {
	const codes = listErrorCodes(op).filter((code) => !common.has(code) || op.errors?.includes(code))
	const headers = Object.keys(op.headers?.shape ?? {})
	return [
		`\`${route}\``,
		...(codes.length > 0
			? [`Errors: ${codes.map((code) => `\`${code}\` (${statusByCode[code]})`).join(', ')}`]
			: []),
		...(headers.length > 0 ? [`In \`options.headers\`: ${headers.join(', ')}`] : []),
	].join('\n')
}

export const toPascal = (id: string): string =>
	id.replace(/(^|[._])([a-z])/g, (_, _separator, letter: string) => letter.toUpperCase())
