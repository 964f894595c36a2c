import { getAsset } from '../../assets/assets.ts'
import { eventStreamResponse } from '../../http/event-stream.ts'
import { iso, MINUTE, SECOND } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { COUNT_LIFE_MS, sharedLiveCount } from './live-count.ts'

const COMMENT_EVERY_MS = 15 * SECOND
const STREAM_MS = 5 * MINUTE
/** The session or key that opened a stream is checked this often. */
const ADMIT_EVERY_MS = MINUTE
/** Clients come back at different times after a deployment has ended all streams. */
const RETRY_MS = { least: 2 * SECOND, spread: 6 * SECOND }

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Streams the number of viewers as server-sent events. The id of an event is the number, for clients that come back. */
export async function streamLiveCount(
	deps: Deps,
	{ orgId, assetId, lastEventId }: { orgId: string; assetId: string; lastEventId: string | null },
	isStillAdmitted: (laterMs: number) => Promise<boolean>,
): Promise<Response> {
	const { playbackId } = await getAsset(deps, orgId, assetId)
	await sharedLiveCount(deps, playbackId, deps.now)
	const encoder = new TextEncoder()
	let isClosed = false
	const body = new ReadableStream<Uint8Array>({
		async start(controller) {
			const write = (text: string) => controller.enqueue(encoder.encode(text))
			try {
				write(`retry: ${Math.round(RETRY_MS.least + Math.random() * RETRY_MS.spread)}\n\n`)
				let sentId = lastEventId
				let quietSince = 0
				let admittedAt = 0
				for (let elapsed = 0; elapsed < STREAM_MS && !isClosed; elapsed += COUNT_LIFE_MS) {
					if (elapsed - admittedAt >= ADMIT_EVERY_MS) {
						if (!(await isStillAdmitted(elapsed))) break
						admittedAt = elapsed
					}
					const { viewers, at } = await sharedLiveCount(deps, playbackId, deps.now + elapsed)
					if (`${viewers}` !== sentId) {
						sentId = `${viewers}`
						quietSince = elapsed
						write(`id: ${viewers}\nevent: live\ndata: ${JSON.stringify({ viewers, at: iso(at) })}\n\n`)
					} else if (elapsed - quietSince >= COMMENT_EVERY_MS) {
						quietSince = elapsed
						write(': still here\n\n')
					}
					await wait(COUNT_LIFE_MS)
				}
				if (!isClosed) controller.close()
			} catch (error) {
				deps.log.error('streaming the live count failed', error, { assetId })
				if (!isClosed) controller.error(error)
			}
		},
		cancel() {
			isClosed = true
		},
	})
	return eventStreamResponse(body)
}
