import { isPublicAddress } from '#schema/contract/video/source-url.ts'
import { toProviderRange } from './network.ts'

/**
 * Returns whether two addresses belong to one network, or null if that can't be known. Equal private addresses say
 * nothing: behind a proxy that is not trusted, all callers have the address of the proxy.
 */
export function isSameNetwork(one: string, other: string): boolean | null {
	if (![one, other].every((ip) => /[.:]/.test(ip))) return null
	if (toProviderRange(one) !== toProviderRange(other)) return false
	return isPublicAddress(one) && isPublicAddress(other) ? true : null
}
