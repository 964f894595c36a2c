import { isPublicAddress } from '#schema/contract/video/source-url.ts'
import { toProviderRange } from './network.ts'

/**
 * Whether two addresses belong to one network; null if unknown. Equal private addresses prove nothing: behind an
 * untrusted proxy, all callers have its address.
 */
export function isSameNetwork(one: string, other: string): boolean | null {
	if (![one, other].every((ip) => /[.:]/.test(ip))) return null
	if (toProviderRange(one) !== toProviderRange(other)) return false
	return isPublicAddress(one) && isPublicAddress(other) ? true : null
}
