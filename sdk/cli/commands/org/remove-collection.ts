import { call } from '../../../src/call.ts'
import { deleteCollection } from '../../../src/generated/operations.ts'
import { confirmChange } from '../../frame/confirm.ts'
import { connect } from '../../frame/connect.ts'
import type { Invocation } from '../../frame/invocation.ts'

type Options = { yes?: true }

export async function run({
	args: [collectionId],
	options,
	terminal,
}: Invocation<Options, [string]>): Promise<void> {
	const { client } = await connect(options, terminal.env)
	await confirmChange(terminal, options, `Delete the collection ${collectionId}?`)
	const deleted = await call(client, deleteCollection, { collectionId })
	if (options.json) terminal.printJson(deleted)
	else terminal.talk(`${collectionId} is deleted`)
}
