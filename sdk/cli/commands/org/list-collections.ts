import { call } from '../../../src/call.ts'
import { listCollections } from '../../../src/generated/operations.ts'
import { connect } from '../../frame/connect.ts'
import type { Invocation } from '../../frame/invocation.ts'
import { printRecords } from '../../frame/records.ts'

export async function run({ options, terminal }: Invocation): Promise<void> {
	const { client } = await connect(options, terminal.env)
	await printRecords(terminal, options, call(client, listCollections), ['id', 'videoCount', 'color', 'name'])
}
