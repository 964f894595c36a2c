import type { Deps } from '../../../platform/deps.ts'
import { toProviderRange } from '../../../platform/network/network.ts'
import { requireSigning } from '../signing.ts'
import type { Origin } from './origin.ts'

/** Removes version numbers, so that an updated browser is recognized. */
const withoutVersions = (userAgent: string): string => userAgent.replaceAll(/[\d._]+/g, '')

/**
 * Returns keyed hashes of the network and the browser of a sign-in. Only hashes are stored, so that no IP address
 * outlives its session.
 */
export async function hashOrigin(deps: Deps, { ip, userAgent }: Origin): Promise<string[]> {
	const { secrets } = requireSigning(deps)
	const parts = [`network ${toProviderRange(ip)}`, `browser ${withoutVersions(userAgent)}`]
	return Promise.all(parts.map((part) => secrets.hmac('sign-in-origin', part)))
}
