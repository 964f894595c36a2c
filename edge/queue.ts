import { chooseQueue, Message, type MessageByType } from '#schema/contract/messages.ts'
import { features } from './features.ts'
import type { Feature } from './http/feature.ts'
import { messagesHandled, messageWait } from './operations/diagnostics/metrics/runtime-metrics.ts'
import { HOUR, SECOND } from './platform/clock.ts'
import type { Deps } from './platform/deps.ts'
import { incrementCounter, observeSeconds } from './platform/metrics/count.ts'
import { insertDeadLetter, redactBody } from './platform/outbox/dead-letters.ts'
import { findEvent, finishEvent } from './platform/outbox/outbox.ts'
import { relayRecorded } from './platform/outbox/relay.ts'
import { readGuardState } from './platform/rewind/guard.ts'
import { computeBackoffMs } from './platform/work/backoff.ts'

const DEAD = /-dead$/
const RETRY = { firstMs: 5 * SECOND, maxMs: HOUR }
const REPAIR_SECONDS = 60

type QueueMessage = MessageBatch['messages'][number]
type Handler = (deps: Deps, input: unknown) => unknown

/** Casts the handlers, because features.ts already checks at compile time that each type has a handler. */
const handlersOf = (
	features: readonly Feature[],
	part: 'consumers' | 'followers' | 'deadLetters',
	type: string,
): Handler[] =>
	features.flatMap((feature) => {
		const handlers = feature[part] as Record<string, Handler> | undefined
		return handlers?.[type] ?? []
	})

async function consume(features: readonly Feature[], deps: Deps, message: Message): Promise<void> {
	if (message.type === 'event.happened') return followEvent(features, deps, message)
	for (const handler of handlersOf(features, 'consumers', message.type)) await handler(deps, message)
}

/** Runs the followers of an event. The contract defines urgencies and events without followers. */
async function followEvent(
	features: readonly Feature[],
	deps: Deps,
	{ id }: MessageByType<'event.happened'>,
): Promise<void> {
	const row = await findEvent(deps.db, id)
	if (!row) return
	for (const follow of handlersOf(features, 'followers', row.type)) await follow(deps, row)
	await finishEvent(deps.db, id, deps.now)
}

/** Returns 5 s, 10 s, 20 s and so on, up to an hour. */
export const computeRetryDelaySeconds = (attempts: number): number =>
	computeBackoffMs(RETRY, attempts - 1) / SECOND

/** Handles each message separately: only messages that fail are retried, not their whole batch. */
export async function consumeBatch(
	batch: MessageBatch,
	deps: Deps,
	among: readonly Feature[] = features,
): Promise<void> {
	if ((await readGuardState(deps)) !== 'current') return postpone(batch)
	if (DEAD.test(batch.queue)) return keepDeadLetters(batch, deps, among)
	for (const message of batch.messages) await consumeMessage(message, deps, among)
}

/**
 * Postpones messages until a restored database is repaired. Sweeps find the work of messages that run out of retries.
 */
function postpone({ messages }: MessageBatch): void {
	for (const message of messages)
		message.retry({ delaySeconds: REPAIR_SECONDS + computeRetryDelaySeconds(message.attempts) })
}

async function consumeMessage(message: QueueMessage, deps: Deps, among: readonly Feature[]): Promise<void> {
	const parsed = Message.safeParse(message.body)
	const type = parsed.data?.type ?? 'unknown'
	if (parsed.data && message.attempts === 1)
		observeSeconds(deps, messageWait, { queue: chooseQueue(parsed.data) }, waitOf(deps, message))
	const log = deps.log.with({
		queueMessageId: message.id,
		type: parsed.data?.type,
		attempt: message.attempts,
	})
	try {
		if (!parsed.success) throw new Error('the message does not match the schema of this version')
		await consume(among, { ...deps, log }, parsed.data)
		message.ack()
		incrementCounter(deps, messagesHandled, { type, outcome: 'done' })
	} catch (error) {
		log.error('message failed', error)
		incrementCounter(deps, messagesHandled, { type, outcome: 'failed' })
		message.retry({ delaySeconds: computeRetryDelaySeconds(message.attempts) })
	}
	relayRecorded(deps)
}

const waitOf = ({ clock }: Deps, { timestamp }: QueueMessage): number =>
	Math.max(0, clock() - timestamp.getTime()) / SECOND

async function keepDeadLetters(batch: MessageBatch, deps: Deps, among: readonly Feature[]): Promise<void> {
	for (const message of batch.messages) {
		const type = String((message.body as { type?: unknown } | null)?.type ?? 'unknown')
		deps.log.error('message given up', new Error('too many failures'), { queueMessageId: message.id, type })
		await insertDeadLetter(deps.db, {
			messageId: message.id,
			queue: batch.queue,
			type,
			body: redactBody(message.body),
			attempts: message.attempts,
			createdAt: deps.now,
		})
		const { data } = Message.safeParse(message.body)
		incrementCounter(deps, messagesHandled, { type: data?.type ?? 'unknown', outcome: 'given_up' })
		for (const handler of data ? handlersOf(among, 'deadLetters', data.type) : []) await handler(deps, data)
		message.ack()
		relayRecorded(deps)
	}
}
