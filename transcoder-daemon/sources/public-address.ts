import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { findSourceUrlProblem, isPublicAddress, type UrlParts } from '#schema/contract/video/source-url.ts'
import { TemporaryError } from '../run/failure.ts'
import { SourceError } from '../tasks/task.ts'

export type Address = { address: string; family: number }

/** Access to user-supplied hosts. */
export type PublicNetwork = {
	resolve(host: string): Promise<Address[]>
	isPublic(address: string): boolean
	/** Returns the problem with a URL, or null. */
	urlProblem(url: UrlParts): string | null
}

export const publicNetwork: PublicNetwork = {
	resolve: (host) => lookup(host, { all: true, verbatim: true }),
	isPublic: isPublicAddress,
	urlProblem: findSourceUrlProblem,
}

const UNKNOWN_HOST_CODES = ['ENOTFOUND', 'ENODATA', 'EAI_NONAME', 'EAI_NODATA']

/**
 * Resolves a host name once. The connection uses the returned address without another lookup, since a name server
 * could answer differently the second time. Rejects a name with any non-public address.
 */
export async function findPublicAddress(
	url: URL,
	{ resolve, isPublic, urlProblem }: PublicNetwork,
): Promise<Address> {
	const problem = urlProblem(url)
	if (problem !== null) throw new SourceError(`the address of the video ${problem}`)
	const host = url.hostname.replace(/^\[|\]$/g, '')
	const family = isIP(host)
	const addresses = family > 0 ? [{ address: host, family }] : await lookUp(host, resolve)
	if (!addresses.every(({ address }) => isPublic(address)))
		throw new SourceError('the address of the video must lead to a public host', host)
	const [first] = addresses
	if (!first) throw unknownHostError(host)
	return first
}

async function lookUp(host: string, resolve: PublicNetwork['resolve']): Promise<Address[]> {
	try {
		return await resolve(host)
	} catch (error) {
		if (UNKNOWN_HOST_CODES.includes(String((error as NodeJS.ErrnoException).code)))
			throw unknownHostError(host)
		throw new TemporaryError(`the host ${host} could not be looked up`, { cause: error })
	}
}

const unknownHostError = (host: string) => new SourceError(`the host ${host} does not exist`)
