import { call } from './call.ts'
import { type Client, type ClientOptions, createClient } from './client.ts'
import { readEventStream } from './event-stream.ts'
import type { Resources } from './generated/operations.ts'
import { resources } from './generated/resources.ts'
import { type AnyOperation, type CallOptions, EVENT_STREAM } from './operation.ts'
import type { Input } from './request.ts'

/** A client with every operation, such as `playhouse.assets.create({ title })`. */
export type Playhouse = Resources & { readonly client: Client }

type Tree = { readonly [name: string]: AnyOperation | Tree }

function bindResources(tree: Tree, client: Client): Record<string, unknown> {
	return Object.fromEntries(
		Object.entries(tree).map(([name, entry]) => [
			name,
			Array.isArray(entry)
				? bindOperation(entry as unknown as AnyOperation, client)
				: bindResources(entry as Tree, client),
		]),
	)
}

const bindOperation =
	(operation: AnyOperation, client: Client) =>
	(input?: Input, options?: CallOptions): unknown => {
		const result = call(client, operation, input, options)
		if (!((operation[1] ?? 0) & EVENT_STREAM)) return result
		return { ...result, [Symbol.asyncIterator]: () => readEventStream(client, operation, input, options) }
	}

export const Playhouse = class {
	constructor(options: ClientOptions) {
		const client = createClient(options)
		Object.assign(this, bindResources(resources as Tree, client), { client })
	}
} as unknown as new (
	options: ClientOptions,
) => Playhouse
