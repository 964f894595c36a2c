import { call } from '../../../src/call.ts'
import { whoAmI } from '../../../src/generated/operations.ts'
import { connect } from '../../frame/connect.ts'
import type { Invocation } from '../../frame/invocation.ts'
import { printRecord } from '../../frame/records.ts'

export async function run({ options, terminal }: Invocation): Promise<void> {
	const { client, url, profile = null } = await connect(options, terminal.env)
	const { kind, org, key, user, expiresAt } = await call(client, whoAmI)
	const record = {
		profile,
		url,
		organization: org.name,
		orgId: org.id,
		[kind]: key?.name ?? user?.email ?? null,
		scopes: key?.scopes ?? [],
		expiresAt,
	}
	printRecord(terminal, options, record)
}
