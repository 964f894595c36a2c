import type { AssetProgress } from '#schema/contract/transcoding.ts'
import { getAsset } from '../assets/assets.ts'
import { tooManyRequests } from '../http/errors.ts'
import { SECOND } from '../platform/clock.ts'
import type { Deps } from '../platform/deps.ts'
import { findFleet } from './fleet-door.ts'
import { findProcessing } from './processing-store.ts'
import { viewProgress } from './processing-view.ts'

const LOOK_EVERY_MS = 2 * SECOND
/** So often nothing new is said until a comment is, for proxies that close what is silent. */
const COMMENT_EVERY = 7
/** About four minutes; who wants to go on watching reconnects. One statement for each look. */
const LOOKS = 120
const MOST_PER_ORG = 50
const STREAM_MS = LOOKS * LOOK_EVERY_MS * 1.5

/** What does not change between two looks has one id, whatever the clock says. */
const idOf = ({ status, currentStep, jobStatus, progress }: AssetProgress): string =>
	[status, jobStatus, currentStep, progress].join('.')

const isOver = ({ status, jobStatus }: AssetProgress): boolean =>
	status !== 'queued' && status !== 'processing' && jobStatus !== 'queued' && jobStatus !== 'processing'

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Only of what the caller's organization owns. The whole stream is the body of one answer. */
export async function streamProgress(
	deps: Deps,
	orgId: string,
	assetId: string,
	lastEventId: string | null,
	isStillAdmitted: (laterMs: number) => Promise<boolean>,
): Promise<Response> {
	await getAsset(deps, orgId, assetId)
	const first = await look(deps, assetId, 0)
	// An EventSource that is closed comes back for ever, until it is told 204.
	if (first === null || (isOver(first) && lastEventId === idOf(first)))
		return new Response(null, { status: 204 })
	const fleet = findFleet(deps.env)
	const ticket = fleet ? await fleet.openStream(orgId, MOST_PER_ORG, STREAM_MS) : ''
	if (ticket === null) throw tooManyRequests(30)
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
				write(`retry: ${LOOK_EVERY_MS}\n\n`)
				let told = lastEventId
				let silent = 0
				let seen: AssetProgress | null = first
				for (let n = 1; seen && !isClosed; n++) {
					const id = idOf(seen)
					const isQuiet = id === told && (silent + 1) % COMMENT_EVERY !== 0
					// Asked before each word: the session or key may have ended since the stream was opened.
					if (!isQuiet && n > 1 && !(await isStillAdmitted((n - 1) * LOOK_EVERY_MS))) break
					if (id !== told) {
						write(`id: ${id}\nevent: progress\ndata: ${JSON.stringify(seen)}\n\n`)
						told = id
						silent = 0
					} else if (++silent % COMMENT_EVERY === 0) write(': still here\n\n')
					if (isOver(seen) || n >= LOOKS) break
					await wait(LOOK_EVERY_MS)
					seen = await look(deps, assetId, n * LOOK_EVERY_MS)
				}
				if (!isClosed) controller.close()
			} catch (error) {
				deps.log.error('the stream of progress broke off', error, { assetId })
				if (!isClosed) controller.error(error)
			} finally {
				await close()
			}
		},
		cancel: close,
	})
	return new Response(body, {
		headers: {
			'content-type': 'text/event-stream',
			'cache-control': 'no-store',
			'x-accel-buffering': 'no',
		},
	})
}

/** null once the asset is deleted. */
async function look(deps: Deps, assetId: string, laterMs: number): Promise<AssetProgress | null> {
	const found = await findProcessing(deps.db, assetId)
	return found && viewProgress(found, deps.now + laterMs)
}
