import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { TemporaryError } from './failure.ts'
import { IdleError } from './idle.ts'
import { reasonOf } from './log.ts'
import { type Address, findPublicAddress, type Outside } from './public-address.ts'
import { SourceError } from './tasks/task.ts'

const MAX_REDIRECTS = 3
const REDIRECTS = [301, 302, 303, 307, 308]
const HEADER_BYTES = 32 * 1024

export type Patience = { connectMs: number; headersMs: number }

/** Asks for what strangers named, following redirects by hand, since each leads to another stranger. */
export async function getPublic(
	address: string,
	headers: Record<string, string>,
	outside: Outside,
	patience: Patience,
	signal: AbortSignal,
): Promise<IncomingMessage> {
	let url = readUrl(address, null)
	for (let hops = 0; ; hops++) {
		const to = await within(patience.connectMs, findPublicAddress(url, outside), url)
		const answer = await ask(url, to, headers, patience, signal)
		const { statusCode = 0, headers: answered } = answer
		if (!REDIRECTS.includes(statusCode) || !answered.location) return answer
		answer.destroy()
		if (hops >= MAX_REDIRECTS)
			throw new SourceError(`The address of the video leads on and on: more than ${MAX_REDIRECTS} redirects.`)
		const next = readUrl(answered.location, url)
		if (url.protocol === 'https:' && next.protocol === 'http:')
			throw new SourceError('The address of the video leads from https to http, which is not followed.')
		url = next
	}
}

function readUrl(text: string, base: URL | null): URL {
	const url = URL.parse(text, base?.href)
	if (!url) throw new SourceError('The address of the video can not be read.')
	return url
}

/** One request, to this address and no other. */
function ask(
	url: URL,
	{ address, family }: Address,
	headers: Record<string, string>,
	{ connectMs, headersMs }: Patience,
	signal: AbortSignal,
): Promise<IncomingMessage> {
	const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
	const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
		// A connection of its own, which no later request can inherit.
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
	const late = (what: string, ms: number) =>
		setTimeout(() => request.destroy(new IdleError(`${what} within ${ms / 1_000} s`)), ms)
	let timer = late('no connection', connectMs)
	request.on('socket', (socket) => {
		socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
			clearTimeout(timer)
			timer = late('no answer', headersMs)
		})
	})
	request.once('response', (answer) => {
		clearTimeout(timer)
		resolve(answer)
	})
	request.on('error', (error) => {
		clearTimeout(timer)
		reject(signal.aborted ? signal.reason : explain(error, url))
	})
	request.end()
	return promise
}

/** In words for people. What the other side said beyond its status is not repeated. */
function explain(error: Error, { hostname }: URL): Error {
	if (error instanceof IdleError)
		return new TemporaryError(`The server ${hostname} does not answer.`, { cause: error })
	const code = String((error as NodeJS.ErrnoException).code)
	if (/CERT|TLS|SSL|SELF_SIGNED|ALTNAME|UNABLE_TO/.test(code))
		return new SourceError(`The certificate of ${hostname} is not valid.`, reasonOf(error))
	if (code.startsWith('HPE_'))
		return new SourceError(`The server ${hostname} does not speak HTTP.`, reasonOf(error))
	return new TemporaryError(`The server ${hostname} can not be reached.`, { cause: error })
}

async function within<T>(ms: number, work: Promise<T>, { hostname }: URL): Promise<T> {
	const { promise, reject } = Promise.withResolvers<never>()
	const timer = setTimeout(
		() => reject(new TemporaryError(`The host ${hostname} could not be looked up.`)),
		ms,
	)
	return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}
