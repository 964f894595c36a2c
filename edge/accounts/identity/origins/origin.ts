import { readCountry } from '../../../platform/network/place.ts'
import { readUserAgent } from '../../../platform/network/user-agent.ts'

/** The address and program of a request, as shown in the list of sessions. */
export type Origin = {
	ip: string
	userAgent: string
	country: string | null
	/** Carries the token of a known device. */
	request: Request
	/** The response headers, which receive the token of a device that becomes known. */
	headers: Headers
}

export const readOrigin = (input: { ip: string; request: Request; headers: Headers }): Origin => ({
	ip: input.ip,
	userAgent: readUserAgent(input.request.headers),
	country: readCountry(input.request),
	request: input.request,
	headers: input.headers,
})
