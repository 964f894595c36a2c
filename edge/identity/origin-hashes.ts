import type { Deps } from '../platform/deps.ts'
import { neighborhoodOf } from '../platform/network.ts'
import type { Origin } from './origin.ts'
import { signingOf } from './signing.ts'

/** A browser stays the same one when it updates itself. */
const withoutVersions = (userAgent: string): string => userAgent.replaceAll(/[\d._]+/g, '')

/** The network and the browser of a sign-in, each as a keyed hash: no address is kept once its session is gone. */
export async function originHashes(deps: Deps, { ip, userAgent }: Origin): Promise<string[]> {
	const { secrets } = signingOf(deps)
	const parts = [`network ${neighborhoodOf(ip)}`, `browser ${withoutVersions(userAgent)}`]
	return Promise.all(parts.map((part) => secrets.hmac('sign-in-origin', part)))
}
