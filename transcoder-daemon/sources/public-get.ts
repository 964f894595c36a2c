import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { describeReason } from '../log.ts'
import { IdleError } from '../outputs/idle.ts'
import { TemporaryError } from '../run/failure.ts'
import { SourceError } from '../tasks/task.ts'
import { type Address, findPublicAddress, type PublicNetwork } from './public-address.ts'

const MAX_REDIRECTS = 3
const REDIRECTS = [301, 302, 303, 307, 308]
const HEADER_BYTES = 32 * 1024

export type Timeouts = { connectMs: number; headersMs: number }

/** Requests a user-supplied URL. Follows redirects itself, because each target must be checked. */
export async function getPublic(
	address: string,
	headers: Record<string, string>,
	publicNetwork: PublicNetwork,
	timeouts: Timeouts,
	signal: AbortSignal,
): Promise<IncomingMessage> {
	let url = readUrl(address, null)
	for (let hops = 0; ; hops++) {
		const to = await withLookupTimeout(timeouts.connectMs, findPublicAddress(url, publicNetwork), url)
		const response = await send(url, to, headers, timeouts, signal)
		const { statusCode = 0, headers: responseHeaders } = response
		if (!REDIRECTS.includes(statusCode) || !responseHeaders.location) return response
		response.destroy()
		if (hops >= MAX_REDIRECTS)
			throw new SourceError(`the address of the video redirects more than ${MAX_REDIRECTS} times`)
		const next = readUrl(responseHeaders.location, url)
		if (url.protocol === 'https:' && next.protocol === 'http:')
			throw new SourceError(
				'the address of the video redirects from https to http; use an address that stays on https',
			)
		url = next
	}
}

function readUrl(text: string, base: URL | null): URL {
	const url = URL.parse(text, base?.href)
	if (!url) throw new SourceError('the address of the video is not a valid URL')
	return url
}

/** Sends one request, to this address only. */
function send(
	url: URL,
	{ address, family }: Address,
	headers: Record<string, string>,
	{ connectMs, headersMs }: Timeouts,
	signal: AbortSignal,
): Promise<IncomingMessage> {
	const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
	const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
		// A separate connection, which no later request can reuse.
		agent: false,
		headers: {
			accept: '*/*',
			'accept-encoding': 'identity',
			'user-agent': 'Playhouse/1 (video import)',
			...headers,
		},
		lookup: (_host, options, done) =>
			options.all ? done(null, [{ address, family }]) : done(null, address, family),
		maxHeaderSize: HEADER_BYTES,
		signal,
	})
	const failAfter = (problem: string, ms: number) =>
		setTimeout(() => request.destroy(new IdleError(`${problem} within ${ms / 1_000} s`)), ms)
	let timer = failAfter('no connection', connectMs)
	request.on('socket', (socket) => {
		socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
			clearTimeout(timer)
			timer = failAfter('no response', headersMs)
		})
	})
	request.once('response', (response) => {
		clearTimeout(timer)
		resolve(response)
	})
	request.on('error', (error) => {
		clearTimeout(timer)
		reject(signal.aborted ? signal.reason : requestError(error, url))
	})
	request.end()
	return promise
}

/** Returns an error that explains a failed request to the video's owner. It repeats nothing that the server sent. */
function requestError(error: Error, { hostname }: URL): Error {
	if (error instanceof IdleError)
		return new TemporaryError(`the server ${hostname} does not respond`, { cause: error })
	const code = String((error as NodeJS.ErrnoException).code)
	if (/CERT|TLS|SSL|SELF_SIGNED|ALTNAME|UNABLE_TO/.test(code))
		return new SourceError(`the certificate of ${hostname} is not valid`, describeReason(error))
	if (code.startsWith('HPE_'))
		return new SourceError(`the server ${hostname} does not speak HTTP`, describeReason(error))
	return new TemporaryError(`the server ${hostname} can't be reached`, { cause: error })
}

async function withLookupTimeout<T>(ms: number, work: Promise<T>, { hostname }: URL): Promise<T> {
	const { promise, reject } = Promise.withResolvers<never>()
	const timer = setTimeout(
		() => reject(new TemporaryError(`the host ${hostname} could not be looked up`)),
		ms,
	)
	return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}
