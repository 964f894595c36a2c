import { call } from '../../../src/call.ts'
import type { Client } from '../../../src/client.ts'
import { type EventTypeInput, readEvents } from '../../../src/generated/operations.ts'
import { USAGE } from '../../frame/exit-codes.ts'
import { CommandFailure } from '../../frame/failure.ts'

const PAGE = 200
/** Pages of a type skip all other events, so the end is found in one request if events of the type are rare. */
const RARE_TYPE: EventTypeInput = 'member.merged'

export async function findNewestSequence(client: Client): Promise<number> {
	for (let after = 0; ; ) {
		const page = await call(client, readEvents, { after, limit: PAGE, types: RARE_TYPE })
		if (page.data.length < PAGE) return page.next
		after = page.next
	}
}

/** Returns the sequence after which to start. */
export async function findPosition(client: Client, from: string): Promise<number> {
	if (from === 'start') return 0
	if (from === 'now') return await findNewestSequence(client)
	if (/^\d{1,15}$/.test(from)) return Number(from)
	throw new CommandFailure('--from is not valid; use now, start or the sequence of an event', USAGE)
}

/** The server checks the names. */
export const splitTypes = (types: string): EventTypeInput[] =>
	types.split(',').map((type) => type.trim()) as EventTypeInput[]
