import { buildOpenApi, type OpenApiDocument } from '#schema/contract/kit/openapi.ts'
import type { JsonSchema } from '#schema/contract/kit/openapi-schemas.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'
import { statusByCode } from '#schema/contract/kit/problem.ts'
import { webhookBodies } from '#schema/contract/public-events.ts'
import { nameOperations } from '#schema/contract/sdk/names.ts'
import { describeOperation } from './described-operation.ts'
import { type OperationSource, printOperation, toPascal } from './operation-source.ts'
import { printDoc, TypePrinter } from './type-printer.ts'

const HEAD = "// Generated from schema/contract by npm run sdk; don't edit.\n"

/** Returns the text of each generated file of the SDK, by file name. */
export function printSdk(operations: readonly Operation[]): Map<string, string> {
	const document = buildOpenApi(operations, webhookBodies, '')
	const printer = new TypePrinter(document.components.schemas ?? {})
	const printed = nameOperations(operations)
		.map((named) => printOperation(describeOperation(named, document), printer))
		.toSorted((a, b) => (a.name < b.name ? -1 : 1))
	const events = printEvents(document, printer)
	const types = printer.printComponents() + events
	const operationSources = printed.map(({ operation }) => operation).join('')
	const tree = growTree(printed)
	const doc = printDoc(['Every operation, by resource.'])
	return new Map([
		['error-codes.ts', HEAD + printErrorCodes()],
		[
			// All types are in this file, because lists of imported types would be a twentieth of the declarations.
			'operations.ts',
			`${HEAD}${IMPORTS}\n${types}${operationSources}${doc}export type Resources = ${printTreeType(tree, '')}\n`,
		],
		[
			'resources.ts',
			`${HEAD}${printDoc(['The operations behind the functions, as traits and route. References to the constants would make the class larger.'])}export const resources: Readonly<Record<string, unknown>> = ${printTreeValue(tree)}\n`,
		],
	])
}

const IMPORTS = `import type { ServerSentEvent } from '../event-stream.ts'
import type { Call, CallOptions, FileBody, Operation } from '../operation.ts'
`

function printErrorCodes(): string {
	const codes = Object.entries(statusByCode).map(([code, status]) => `\t/** ${status} */\n\t| '${code}'\n`)
	const doc = printDoc(['The codes in `X-Error-Code`. A newer server may send others.'])
	return `${doc}export type ErrorCode =\n${codes.join('')}\t| (string & {})\n`
}

type Tree = { methods: OperationSource[]; children: Map<string, Tree> }

function growTree(printed: readonly OperationSource[]): Tree {
	const root: Tree = { methods: [], children: new Map() }
	for (const source of printed) {
		const node = source.name
			.split('.')
			.slice(0, -1)
			.reduce<Tree>((node, part) => {
				const child: Tree = node.children.get(part) ?? { methods: [], children: new Map() }
				node.children.set(part, child)
				return child
			}, root)
		node.methods.push(source)
	}
	return root
}

const printTreeType = ({ methods, children }: Tree, indent: string): string =>
	`{\n${methods.map(({ method }) => method(`${indent}\t`)).join('')}${[...children].map(([name, child]) => `${indent}\t${name}: ${printTreeType(child, `${indent}\t`)}\n`).join('')}${indent}}`

const printTreeValue = ({ methods, children }: Tree): string =>
	`{${[
		...methods.map(({ name, words }) => `${name.slice(name.lastIndexOf('.') + 1)}: '${words}'`),
		...[...children].map(([name, child]) => `\n${name}: ${printTreeValue(child)}`),
	].join(', ')}}`

/** Prints one type for each event, and their union. */
function printEvents(document: OpenApiDocument, printer: TypePrinter): string {
	const events = Object.entries(document.webhooks).map(([type, { post }]) => {
		const { summary, requestBody } = post as {
			summary: string
			requestBody: { content: Record<string, { schema: { properties: Record<string, JsonSchema> } }> }
		}
		const data = requestBody.content['application/json']?.schema.properties.data ?? {}
		const name = `${toPascal(type)}Event`
		const value = `EventEnvelope<'${type}', ${printer.print(data, 'output')}>`
		return { name, source: `${printDoc([summary])}export type ${name} = ${value}\n` }
	})
	const doc = printDoc([
		'An event, as endpoints receive it and `events.read` returns it. A newer server may send other types: ignore them.',
	])
	return `${ENVELOPE}${events.map(({ source }) => source).join('')}${doc}export type WebhookEvent =\n${events.map(({ name }) => `\t| ${name}\n`).join('')}`
}

const ENVELOPE = `export type EventEnvelope<Type extends string, Data> = {
	/** The same in every delivery of the event; use it to ignore repetitions */
	id: string
	timestamp: string
	/** Counts the events of the organization without gaps */
	sequence: number
	type: Type
	data: Data
}
`
