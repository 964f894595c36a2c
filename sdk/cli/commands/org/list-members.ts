import { call } from '../../../src/call.ts'
import { listMembers } from '../../../src/generated/operations.ts'
import { connect, findOrgId } from '../../frame/connect.ts'
import type { Invocation } from '../../frame/invocation.ts'
import { printRecords } from '../../frame/records.ts'

export async function run({ options, terminal }: Invocation): Promise<void> {
	const { client } = await connect(options, terminal.env)
	const members = call(client, listMembers, { orgId: await findOrgId(client) })
	await printRecords(terminal, options, members, ['userId', 'role', 'email', 'name'])
}
