import { call } from '../../../src/call.ts'
import { listSubtitles } from '../../../src/generated/operations.ts'
import { connect } from '../../frame/connect.ts'
import type { Invocation } from '../../frame/invocation.ts'
import { printRecords } from '../../frame/records.ts'

export async function run({
	args: [assetId],
	options,
	terminal,
}: Invocation<object, [string]>): Promise<void> {
	const { client } = await connect(options, terminal.env)
	const { subtitles } = await call(client, listSubtitles, { assetId })
	await printRecords(terminal, options, subtitles, ['language', 'source', 'name'])
}
