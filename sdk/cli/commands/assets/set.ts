import { call } from '../../../src/call.ts'
import { type UpdateAssetInput, updateAsset } from '../../../src/generated/operations.ts'
import { connect } from '../../frame/connect.ts'
import { USAGE } from '../../frame/exit-codes.ts'
import { CommandFailure } from '../../frame/failure.ts'
import type { Invocation } from '../../frame/invocation.ts'
import { printRecord } from '../../frame/records.ts'

type Options = Pick<UpdateAssetInput, 'title' | 'description' | 'visibility'> & { collection?: string }

export async function run({
	args: [assetId],
	options,
	terminal,
}: Invocation<Options, [string]>): Promise<void> {
	const { title, description, visibility, collection } = options
	const collectionId = collection === 'none' ? null : collection
	const given = Object.entries({ title, description, visibility, collectionId })
	const changes = Object.fromEntries(given.filter(([, value]) => value !== undefined))
	if (Object.keys(changes).length === 0)
		throw new CommandFailure('there is nothing to change; add an option such as --title', USAGE)
	const { client } = await connect(options, terminal.env)
	printRecord(terminal, options, await call(client, updateAsset, { assetId, ...changes }))
}
