import { monthOf, SECOND } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import type { ServedMedia } from '../../playback/served-media.ts'
import { findOrgAnalytics } from '../org/org-stub.ts'
import { type ServedCount, ServedCounts } from './served-counts.ts'
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
	const { orgId, visibility } = served.video
	if (visibility !== 'signed' || !findOrgAnalytics(deps.env.bindings, orgId)) return
	const video = servedVideoOf(served)
	if (video && counts.add(orgId, monthOf(deps.now), video, deps.now)) deps.defer(send(deps, orgId))
}

async function send(deps: Deps, orgId: string): Promise<void> {
	await deps.wait(COLLECTED_MS)
	const lacking = counts.take(orgId, deps.clock())
	await Promise.all(lacking.map(({ orgId, count }) => sendCount(deps, orgId, count)))
}

/** What does not arrive is sent with the next counts of this isolate. */
async function sendCount(deps: Deps, orgId: string, count: ServedCount): Promise<void> {
	for (let attempt = 1; ; attempt++)
		try {
			await findOrgAnalytics(deps.env.bindings, orgId)?.noteServed(count, deps.clock())
			return counts.arrived(count)
		} catch (error) {
			if (attempt === ATTEMPTS)
				return deps.log.error('served minutes could not be sent to the object of the organization', error)
			await deps.wait(SECOND)
		}
}
