import { call } from '../../../src/call.ts'
import { getAsset } from '../../../src/generated/operations.ts'
import { connect } from '../../frame/connect.ts'
import type { Invocation } from '../../frame/invocation.ts'
import { printRecord } from '../../frame/records.ts'

export async function run({
	args: [assetId],
	options,
	terminal,
}: Invocation<object, [string]>): Promise<void> {
	const { client } = await connect(options, terminal.env)
	printRecord(terminal, options, await call(client, getAsset, { assetId }))
}
