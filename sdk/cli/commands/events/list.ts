import { call } from '../../../src/call.ts'
import { readEvents } from '../../../src/generated/operations.ts'
import { connect } from '../../frame/connect.ts'
import type { Invocation } from '../../frame/invocation.ts'
import { type EventLine, printEvent } from './print-event.ts'

type Options = { after?: number; types?: string; limit: number }

const PAGE = 200

export async function run({ options, terminal }: Invocation<Options>): Promise<void> {
	const { types, limit } = options
	const { client } = await connect(options, terminal.env)
	let after = options.after ?? 0
	for (let left = limit; left > 0; ) {
		const size = Math.min(left, PAGE)
		const page = await call(client, readEvents, { after, limit: size, ...(types && { types }) })
		for (const event of page.data) printEvent(terminal, options, event as unknown as EventLine)
		if (page.data.length < size) return
		left -= page.data.length
		after = page.next
	}
}
