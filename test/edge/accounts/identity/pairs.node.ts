import { computeMedian } from '../../../../scripts/bench/lib/statistics.ts'
import type { RunningWorker } from '../../../support/shared/miniflare-worker.ts'
import { signTest } from './sign-test.node.ts'

export type Answer = { status: number; headers: [string, string][]; body: string; sql: string; ms: number }
/** Sends a request about an address that has an account or has none. */
export type EmailRequest = (email: string) => Promise<Answer>

/** Headers that differ between any two responses, so the comparison leaves them out. */
const OWN_TO_EACH = ['date', 'x-request-id']

let requests = 0

/** Sends each request from a new IP address, so that no attempt counter has seen it. */
export async function post(url: string, path: string, body: unknown): Promise<Answer> {
	const n = requests++
	const headers = {
		'content-type': 'application/json',
		'cf-connecting-ip': `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`,
	}
	const text = JSON.stringify(body)
	const startedAt = performance.now()
	const response = await fetch(url + path, { method: 'POST', headers, body: text })
	const answer = await response.text()
	return {
		status: response.status,
		headers: [...response.headers].filter(([name]) => !OWN_TO_EACH.includes(name)),
		body: answer,
		sql: response.headers.get('server-timing') ?? '',
		ms: performance.now() - startedAt,
	}
}

/** Creates users with the same password. Returns pairs of a known and an unknown address of equal length. */
export async function makePeople(worker: RunningWorker, pairs: number) {
	const first = { email: 'first@example.org', password: 'correct horse battery', name: 'First' }
	const { status, body } = await post(worker.url, '/v1/auth/signup', first)
	if (status !== 201) throw new Error(`signing up answered ${status}: ${body}`)
	const db = await worker.miniflare.getD1Database('DB')
	await db
		.prepare(
			`with recursive n(i) as (select 0 union all select i + 1 from n where i < ? - 1)
insert into users (email, name, password_hash, created_at, updated_at)
select printf('known%06d@example.org', i), 'Known', password_hash, created_at, updated_at from users, n where email = ?`,
		)
		.bind(pairs, first.email)
		.run()
	let taken = 0
	return (count: number) => {
		if (taken + count > pairs) throw new Error('more people are requested than were created')
		const numbers = Array.from({ length: count }, () => String(taken++).padStart(6, '0'))
		return numbers.map((n) => ({ known: `known${n}@example.org`, unknown: `other${n}@example.org` }))
	}
}

export type Compared = { known: Answer[]; unknown: Answer[] }

/** Sends the requests one after the other. Which of a pair comes first alternates. */
export async function askBoth(
	request: EmailRequest,
	pairs: { known: string; unknown: string }[],
): Promise<Compared> {
	const compared: Compared = { known: [], unknown: [] }
	for (const [i, { known, unknown }] of pairs.entries()) {
		if (i % 2 === 0) compared.known.push(await request(known))
		compared.unknown.push(await request(unknown))
		if (i % 2 === 1) compared.known.push(await request(known))
	}
	return compared
}

/** Compares the times as an observer could. `chance` is small when the two kinds of addresses differ. */
export function compareTimes({ known, unknown }: Compared) {
	const ms = {
		known: computeMedian(known.map((a) => a.ms)),
		unknown: computeMedian(unknown.map((a) => a.ms)),
	}
	const slower = known.filter((answer, i) => answer.ms > (unknown[i]?.ms ?? 0)).length
	return { ms, ratio: ms.known / ms.unknown, slower, chance: signTest(slower, known.length - slower) }
}
