import { MAX_STREAMS_PER_ORG } from '#schema/contract/video/transcoding.ts'
import { tooManyRequestsError } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import { findFleet } from './fleet-stub.ts'

const RETRY_SECONDS = 30

/**
 * Counts a progress or live stream against its organization, and returns a function that ends it. A stream whose end
 * was lost counts for 1.5 times its lifetime.
 */
export async function openStreamTicket(
	{ env }: Deps,
	orgId: string,
	lifeMs: number,
): Promise<() => Promise<void>> {
	const fleet = findFleet(env)
	const ticket = fleet ? await fleet.openStream(orgId, MAX_STREAMS_PER_ORG, 1.5 * lifeMs) : ''
	if (ticket === null) throw tooManyRequestsError(RETRY_SECONDS)
	return async () => {
		if (fleet && ticket) await fleet.closeStream(orgId, ticket)
	}
}
