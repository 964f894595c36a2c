import { call } from '../call.ts'
import type { Client } from '../client.ts'
import {
	type EventTypeInput,
	type ReadEventsInput,
	type ReadEventsOutput,
	readEvents,
	type WebhookEvent,
} from '../generated/operations.ts'
import { choosePauseMs, pause } from '../retry.ts'

/** Stores the sequence of the last handled event, such as in a file or a row. */
export type Checkpoint = {
	load(): number | undefined | Promise<number | undefined>
	save(sequence: number): void | Promise<void>
}

export type ConsumeOptions = {
	/** The sequence to start after if the checkpoint has none (default 0: starts with the oldest stored event). */
	after?: number
	/** The types of events to handle (default: all). */
	types?: readonly EventTypeInput[]
	checkpoint: Checkpoint
	signal?: AbortSignal
}

/** The longest wait that the server allows. */
const WAIT_SEC = 25

/**
 * Calls the handler with every event of the organization in order, until the signal is aborted or the handler throws.
 * Saves the checkpoint after the handler, so that each event arrives at least once, even after a crash.
 */
export async function consumeEvents(
	client: Client,
	{ after = 0, types, checkpoint, signal }: ConsumeOptions,
	handle: (event: WebhookEvent) => void | Promise<void>,
): Promise<void> {
	let sequence = (await checkpoint.load()) ?? after
	const filter = types && { types: types.join(',') }
	while (!signal?.aborted) {
		const page = await readPatiently(client, { after: sequence, wait: WAIT_SEC, ...filter }, signal)
		if (page === undefined) return
		for (const event of page.data as unknown as WebhookEvent[]) {
			if (signal?.aborted) return
			await handle(event)
			sequence = event.sequence
			await checkpoint.save(sequence)
		}
		// Events of other types also advance the sequence.
		if (page.next > sequence) {
			sequence = page.next
			await checkpoint.save(sequence)
		}
	}
}

/** Reads a page of events. Retries while the server is unavailable. Returns undefined when the signal is aborted. */
async function readPatiently(
	client: Client,
	input: ReadEventsInput,
	signal?: AbortSignal,
): Promise<ReadEventsOutput | undefined> {
	for (let failures = 1; ; failures++)
		try {
			return await call(client, readEvents, input, { retries: 0, ...(signal && { signal }) })
		} catch (error) {
			if (signal?.aborted) return undefined
			const ms = choosePauseMs(error, failures, Number.POSITIVE_INFINITY)
			if (ms === undefined) throw error
			await pause(ms, signal)
		}
}
