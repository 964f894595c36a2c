import { SECOND } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import type { ServedMedia } from '../../playback/served-media.ts'
import { monthOf } from '../org/delivery.ts'
import { findOrgAnalytics } from '../org/org-stub.ts'
import { ServedCounts } from './served-counts.ts'
import { servedVideoOf } from './served-video.ts'

/** A request may do something for half a minute after its response. */
const COLLECTED_MS = 10 * SECOND
const ATTEMPTS = 3

const counts = new ServedCounts(() => crypto.randomUUID())

/**
 * Counts the video that passes the Worker, for the usage of the organization: that of signed videos. What this isolate
 * serves in ten seconds is sent together.
 */
export function countServed(deps: Deps, served: ServedMedia): void {
	if (served.video.visibility !== 'signed') return
	const video = servedVideoOf(served)
	if (!video) return
	const { orgId } = served.video
	const month = monthOf(deps.now)
	if (counts.add(orgId, month, video, deps.now)) deps.defer(send(deps, orgId, month))
}

async function send(deps: Deps, orgId: string, month: string): Promise<void> {
	await deps.wait(COLLECTED_MS)
	const count = counts.take(orgId, month)
	if (!count) return
	for (let attempt = 1; ; attempt++)
		try {
			return await findOrgAnalytics(deps.env.bindings, orgId)?.noteServed(count, deps.clock())
		} catch (error) {
			if (attempt === ATTEMPTS) throw error
			await deps.wait(SECOND)
		}
}
