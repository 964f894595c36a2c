import { call } from '../../../src/call.ts'
import { deleteAsset } from '../../../src/generated/operations.ts'
import { confirmChange } from '../../frame/confirm.ts'
import { connect } from '../../frame/connect.ts'
import { describeFailure } from '../../frame/failure.ts'
import type { Invocation } from '../../frame/invocation.ts'

type Options = { permanently?: true; yes?: true }

export async function run({
	args: [ids],
	options,
	terminal,
}: Invocation<Options, [string[]]>): Promise<void> {
	const { permanently } = options
	const { client } = await connect(options, terminal.env)
	const what = ids.length === 1 ? 'this video' : `${ids.length} videos`
	if (permanently) await confirmChange(terminal, options, `Delete ${what} permanently?`)
	for (const assetId of ids)
		try {
			const deleted = await call(client, deleteAsset, { assetId, ...(!permanently && { trash: true }) })
			if (options.json) terminal.printJson(deleted)
			else
				terminal.talk(
					`${assetId} ${permanently ? 'is deleted' : `is in the trash until ${deleted.deleteAt}`}`,
				)
		} catch (error) {
			const { message, exitCode } = describeFailure(error)
			terminal.talk(`playhouse: ${message}`)
			terminal.exitCode ||= exitCode
		}
}
