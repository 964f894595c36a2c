import { call } from '../../../src/call.ts'
import { getOrgUsage } from '../../../src/generated/operations.ts'
import { connect, findOrgId } from '../../frame/connect.ts'
import type { Invocation } from '../../frame/invocation.ts'
import { printRecord } from '../../frame/records.ts'

export async function run({ options, terminal }: Invocation): Promise<void> {
	const { client } = await connect(options, terminal.env)
	printRecord(terminal, options, await call(client, getOrgUsage, { orgId: await findOrgId(client) }))
}
