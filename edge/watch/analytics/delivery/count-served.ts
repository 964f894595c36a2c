import { SECOND, toUtcMonth } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { parseSegmentPath } from '../../playback/segment-path.ts'
import type { ServedMedia } from '../../playback/served-media.ts'
import { findOrgAnalytics } from '../org/org-stub.ts'
import { readSegmentMs } from './segment-lengths.ts'
import { type ServedCount, ServedCounts } from './served-counts.ts'

/** The platform allows 30 seconds of work after a response. Each message writes a row. */
const COLLECTED_MS = 20 * SECOND
const ATTEMPTS = 3

const counts = new ServedCounts(() => crypto.randomUUID())

/**
 * Counts the video that the Worker serves toward the usage of the organization. Counts are sent in batches of 20 seconds.
 */
export function countServed(deps: Deps, served: ServedMedia): void {
	if (!findOrgAnalytics(deps.env.bindings, served.video.orgId)) return
	const segment = parseSegmentPath(served.path)
	// Audio, playlists and images don't count.
	if (segment?.quality) deps.defer(count(deps, served, segment.quality.name, segment.index))
}

/**
 * A range of a segment counts by its bytes, so all ranges together have the duration of the segment. Aborted transfers don't
 * count: otherwise anybody could add minutes for the price of a request.
 */
async function count(
	deps: Deps,
	{ video: { orgId, playbackId, visibility }, path, share, isSent }: ServedMedia,
	quality: string,
	index: number,
): Promise<void> {
	if (!(await isSent)) return
	const ms = share * (await readSegmentMs(deps, { playbackId, path, index }))
	const access = visibility === 'signed' ? 'signed' : 'public'
	const added = { access, quality, ms } as const
	const isSender = counts.add(orgId, toUtcMonth(deps.now), added, deps.now)
	if (isSender) await send(deps, orgId)
}

async function send(deps: Deps, orgId: string): Promise<void> {
	await deps.wait(COLLECTED_MS)
	const pending = counts.take(orgId, deps.clock())
	await Promise.all(pending.map(({ orgId, count }) => sendCount(deps, orgId, count)))
}

/** A failed count is sent again with the next counts of this isolate. */
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
