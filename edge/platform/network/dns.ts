import { z } from 'zod'
import type { Deps } from '../deps.ts'
import { isLoopback } from './this-machine.ts'

/** The TXT records of a name, possibly none, or why the lookup failed. */
export type TxtLookup = { kind: 'answer'; values: string[] } | { kind: 'failed'; reason: string }

const TIMEOUT_MS = 5_000
/** More than a DNS message can hold in its JSON form. */
const MAX_CHARACTERS = 300_000

const TXT = 16
const NOERROR = 0
const NXDOMAIN = 3

const Answer = z.object({
	Status: z.int(),
	/** True if the answer is truncated. */
	TC: z.boolean().optional(),
	Answer: z.array(z.object({ type: z.int(), data: z.string() })).optional(),
})

/** Queries the resolver over HTTPS in the JSON form that Cloudflare, Google and others support. Never throws. */
export async function lookUpTxt(
	{ env, fetch }: Pick<Deps, 'env' | 'fetch'>,
	name: string,
): Promise<TxtLookup> {
	const url = new URL(env.vars.DNS_RESOLVER_URL)
	// Over plain http, an attacker on the network could forge an answer and take over any domain.
	if (env.isProduction && url.protocol === 'http:' && !isLoopback(url.hostname))
		return { kind: 'failed', reason: 'DNS_RESOLVER_URL has to be https' }
	url.searchParams.set('name', name)
	url.searchParams.set('type', 'TXT')
	try {
		const response = await fetch(url.href, {
			headers: { accept: 'application/dns-json' },
			// An answer from another host proves nothing.
			redirect: 'manual',
			signal: AbortSignal.timeout(TIMEOUT_MS),
		})
		const text = await response.text()
		if (!response.ok) return { kind: 'failed', reason: `the resolver answered ${response.status}` }
		if (text.length > MAX_CHARACTERS) return { kind: 'failed', reason: 'the resolver answered too much' }
		return parseTxtResponse(JSON.parse(text))
	} catch (error) {
		const hasTimedOut = error instanceof Error && error.name === 'TimeoutError'
		return {
			kind: 'failed',
			reason: hasTimedOut ? 'the resolver did not answer in time' : 'the resolver could not be asked',
		}
	}
}

export function parseTxtResponse(json: unknown): TxtLookup {
	const { success, data } = Answer.safeParse(json)
	if (!success) return { kind: 'failed', reason: 'the resolver answered something else' }
	if (data.TC) return { kind: 'failed', reason: 'the resolver answered a part' }
	if (data.Status === NXDOMAIN) return { kind: 'answer', values: [] }
	if (data.Status !== NOERROR) return { kind: 'failed', reason: `the resolver answered code ${data.Status}` }
	const records = (data.Answer ?? []).filter(({ type }) => type === TXT)
	return { kind: 'answer', values: records.map(({ data: text }) => unquote(text)) }
}

/** Joins the quoted strings of a record, each at most 255 octets long. */
function unquote(text: string): string {
	const strings = [...text.matchAll(/"((?:[^"\\]|\\.){0,1020})"/g)].map(([, inner = '']) => inner)
	return strings.length === 0 ? text : strings.join('')
}
