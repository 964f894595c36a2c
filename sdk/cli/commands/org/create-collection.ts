import { call } from '../../../src/call.ts'
import { type CreateCollectionInput, createCollection } from '../../../src/generated/operations.ts'
import { connect } from '../../frame/connect.ts'
import type { Invocation } from '../../frame/invocation.ts'

type Options = { color: CreateCollectionInput['color'] }

export async function run({ args: [name], options, terminal }: Invocation<Options, [string]>): Promise<void> {
	const { client } = await connect(options, terminal.env)
	const collection = await call(client, createCollection, { name, color: options.color })
	if (options.json) terminal.printJson(collection)
	else terminal.print(collection.id)
}
