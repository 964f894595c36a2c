import { toProviderRange } from './network.ts'

/** Where a request comes from, as precisely as people need to recognize it. */
export type Place = { country: string | null; network: string | null }

/** Returns the country of the request in two letters, as Cloudflare knows it; null elsewhere. */
export function readCountry(request: Request): string | null {
	const country = request.cf?.country
	// Cloudflare uses XX for an unknown country, and T1 for Tor.
	return typeof country === 'string' && /^[A-Z]{2}$/.test(country) && country !== 'XX' ? country : null
}

/** Returns the country, and the network without the part of the address that tells its computers apart. */
export const toPlace = ({ ip, country }: { ip: string; country: string | null }): Place => ({
	country,
	network: /[.:]/.test(ip) ? toProviderRange(ip) : null,
})
