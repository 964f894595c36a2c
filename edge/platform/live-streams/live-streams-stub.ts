import type { Deps } from '../deps.ts'
import type { Env } from '../env.ts'
import type { LiveStreams } from './live-streams.ts'
import type { StreamEvent } from './stream-event.ts'

/** Returns the object with the streams of a community or organization; null on platforms without Durable Objects. */
export function findLiveStreams({ bindings }: Env, name: string): DurableObjectStub<LiveStreams> | null {
	const namespace = bindings.LIVE_STREAMS as DurableObjectNamespace<LiveStreams> | undefined
	return namespace ? namespace.getByName(name) : null
}

/** Publishes events with one call, however many clients listen. A lost call is harmless, since pages can read what changed. */
export async function publishEvents(
	{ env, log }: Pick<Deps, 'env' | 'log'>,
	name: string,
	events: readonly StreamEvent[],
): Promise<void> {
	if (events.length === 0) return
	try {
		await findLiveStreams(env, name)?.publish([...events])
	} catch (error) {
		log.error('could not publish to streams', error, { streams: name })
	}
}
