import { toProviderRange } from './network.ts'

/** The origin of a request, as precisely as people need to recognize it. */
export type Place = { country: string | null; network: string | null }

/** Returns the two-letter country that Cloudflare reports; null elsewhere. */
export function readCountry(request: Request): string | null {
	const country = request.cf?.country
	// Cloudflare uses XX for an unknown country, and T1 for Tor.
	return typeof country === 'string' && /^[A-Z]{2}$/.test(country) && country !== 'XX' ? country : null
}

/** Returns the country and the network prefix, without the part that identifies a computer. */
export const toPlace = ({ ip, country }: { ip: string; country: string | null }): Place => ({
	country,
	network: /[.:]/.test(ip) ? toProviderRange(ip) : null,
})
