import type { AssetProgress } from '#schema/contract/video/transcoding.ts'
import { getAsset } from '../../assets/assets.ts'
import { findFleet } from '../../fleet/fleet-stub.ts'
import { tooManyRequestsError } from '../../http/errors.ts'
import { eventStreamResponse } from '../../http/event-stream.ts'
import { SECOND } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { findProcessing } from '../store/processing-store.ts'
import { viewProgress } from './processing-view.ts'

const POLL_INTERVAL_MS = 2 * SECOND
/** Unchanged polls before a keep-alive comment, since proxies close idle connections. */
const COMMENT_EVERY = 7
/** About four minutes, then clients reconnect. Each poll costs one statement. */
const MAX_POLLS = 120
const MAX_STREAMS_PER_ORG = 50
const STREAM_MS = MAX_POLLS * POLL_INTERVAL_MS * 1.5

/** Identifies a progress state, without values that only depend on the time. */
const idOf = ({ status, currentStep, jobStatus, progress }: AssetProgress): string =>
	[status, jobStatus, currentStep, progress].join('.')

const isOver = ({ status, jobStatus }: AssetProgress): boolean =>
	status !== 'queued' && status !== 'processing' && jobStatus !== 'queued' && jobStatus !== 'processing'

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Streams the progress of an asset as server-sent events in the body of one response. */
export async function streamProgress(
	deps: Deps,
	orgId: string,
	assetId: string,
	lastEventId: string | null,
	isStillAdmitted: (laterMs: number) => Promise<boolean>,
): Promise<Response> {
	await getAsset(deps, orgId, assetId)
	const first = await readProgress(deps, assetId, 0)
	// A closed EventSource reconnects until it gets 204.
	if (first === null || (isOver(first) && lastEventId === idOf(first)))
		return new Response(null, { status: 204 })
	const fleet = findFleet(deps.env)
	const ticket = fleet ? await fleet.openStream(orgId, MAX_STREAMS_PER_ORG, STREAM_MS) : ''
	if (ticket === null) throw tooManyRequestsError(30)
	const encoder = new TextEncoder()
	let isClosed = false
	const close = async () => {
		isClosed = true
		if (fleet && ticket) await fleet.closeStream(orgId, ticket)
	}
	const body = new ReadableStream<Uint8Array>({
		async start(controller) {
			const write = (text: string) => controller.enqueue(encoder.encode(text))
			try {
				write(`retry: ${POLL_INTERVAL_MS}\n\n`)
				let lastSentId = lastEventId
				let quietPolls = 0
				let current: AssetProgress | null = first
				for (let n = 1; current && !isClosed; n++) {
					const id = idOf(current)
					const isQuiet = id === lastSentId && (quietPolls + 1) % COMMENT_EVERY !== 0
					// Checked before each message: the session or key may have ended since the stream was opened.
					if (!isQuiet && n > 1 && !(await isStillAdmitted((n - 1) * POLL_INTERVAL_MS))) break
					if (id !== lastSentId) {
						write(`id: ${id}\nevent: progress\ndata: ${JSON.stringify(current)}\n\n`)
						lastSentId = id
						quietPolls = 0
					} else if (++quietPolls % COMMENT_EVERY === 0) write(': still here\n\n')
					if (isOver(current) || n >= MAX_POLLS) break
					await wait(POLL_INTERVAL_MS)
					current = await readProgress(deps, assetId, n * POLL_INTERVAL_MS)
				}
				if (!isClosed) controller.close()
			} catch (error) {
				deps.log.error('streaming progress failed', error, { assetId })
				if (!isClosed) controller.error(error)
			} finally {
				await close()
			}
		},
		cancel: close,
	})
	return eventStreamResponse(body)
}

/** Returns null once the asset is deleted. */
async function readProgress(deps: Deps, assetId: string, laterMs: number): Promise<AssetProgress | null> {
	const found = await findProcessing(deps.db, assetId)
	return found && viewProgress(found, deps.now + laterMs)
}
