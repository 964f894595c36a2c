import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { isPublicAddress, sourceUrlProblem, type UrlParts } from '#schema/contract/source-url.ts'
import { TemporaryError } from './failure.ts'
import { SourceError } from './tasks/task.ts'

export type Address = { address: string; family: number }

/** What leads out of this machine to hosts that strangers name. */
export type Outside = {
	resolve(host: string): Promise<Address[]>
	isPublic(address: string): boolean
	/** What is wrong with an address as it is written. */
	urlProblem(url: UrlParts): string | null
}

export const outside: Outside = {
	resolve: (host) => lookup(host, { all: true, verbatim: true }),
	isPublic: isPublicAddress,
	urlProblem: sourceUrlProblem,
}

const UNKNOWN = ['ENOTFOUND', 'ENODATA', 'EAI_NONAME', 'EAI_NODATA']

/**
 * Asks once which address a name leads to; whoever connects does so to this address and asks nobody again, or a name
 * server could answer something else the second time. A name of which any address is not public is refused whole.
 */
export async function findPublicAddress(
	url: URL,
	{ resolve, isPublic, urlProblem }: Outside,
): Promise<Address> {
	const problem = urlProblem(url)
	if (problem !== null) throw new SourceError(`The address of the video ${problem}.`)
	const host = url.hostname.replace(/^\[|\]$/g, '')
	const family = isIP(host)
	const found = family > 0 ? [{ address: host, family }] : await ask(host, resolve)
	if (!found.every(({ address }) => isPublic(address)))
		throw new SourceError('The address of the video must lead to a public host.', host)
	const [first] = found
	if (!first) throw unknown(host)
	return first
}

async function ask(host: string, resolve: Outside['resolve']): Promise<Address[]> {
	try {
		return await resolve(host)
	} catch (error) {
		if (UNKNOWN.includes(String((error as NodeJS.ErrnoException).code))) throw unknown(host)
		throw new TemporaryError(`The host ${host} could not be looked up.`, { cause: error })
	}
}

const unknown = (host: string) => new SourceError(`There is no host ${host}.`)
