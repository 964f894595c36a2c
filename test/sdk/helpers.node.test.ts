import { describe, expect, test } from 'vitest'
import { renewMemberToken } from '../../sdk/src/helpers/renew-member-token.ts'
import { Playhouse } from '../../sdk/src/index.ts'
import { type Answer, answer, breakConnection, startFailingServer } from './failing-server.node.ts'

const event = (sequence: number) => ({ id: `evt_${sequence}`, sequence, type: 'asset.created', data: {} })
const events = (next: number, ...sequences: number[]) => answer(200, { data: sequences.map(event), next })
const afterOf = ({ path }: { path: string }) => new URL(path, 'http://x').searchParams.get('after')

describe('events.consume', () => {
	test('events.consume handles each event once despite server errors, and saves the checkpoint after the handler', async () => {
		const { url, received } = await startFailingServer(
			events(2, 1, 2),
			answer(503, { error: 'away' }),
			breakConnection,
			events(7),
			events(8, 8),
		)
		const end = new AbortController()
		const log: string[] = []
		const checkpoint = {
			load: () => undefined,
			save: (sequence: number) => void log.push(`saved ${sequence}`),
		}
		await new Playhouse({ baseUrl: url }).events.consume(
			{ checkpoint, signal: end.signal },
			({ sequence }) => {
				log.push(`handled ${sequence}`)
				if (sequence === 8) end.abort()
			},
		)
		expect(log).toEqual(['handled 1', 'saved 1', 'handled 2', 'saved 2', 'saved 7', 'handled 8', 'saved 8'])
		expect(received.map(afterOf)).toEqual(['0', '2', '2', '2', '7'])
	})

	test('events.consume repeats an event whose handler failed when the program restarts', async () => {
		const { url } = await startFailingServer(events(4, 3, 4))
		let saved: number | undefined = 2
		const handled: number[] = []
		const checkpoint = {
			load: () => saved,
			save: (sequence: number) => {
				saved = sequence
			},
		}
		const consume = (isFailing: boolean) =>
			new Playhouse({ baseUrl: url }).events.consume(
				{ checkpoint, types: ['asset.created'] },
				({ sequence }) => {
					handled.push(sequence)
					if (sequence === 4 && isFailing) throw new Error('disk full')
					if (sequence === 4) throw new Error('end of the test')
				},
			)
		await expect(consume(true)).rejects.toThrow('disk full')
		expect(saved).toBe(3)
		await expect(consume(false)).rejects.toThrow('end of the test')
		expect(handled.filter((sequence) => sequence === 4)).toHaveLength(2)
	})

	test('an error that is not retryable ends events.consume', async () => {
		const { url, received } = await startFailingServer(
			answer(403, { error: 'no' }, { 'x-error-code': 'forbidden' }),
		)
		const checkpoint = { load: () => 0, save: () => {} }
		await expect(
			new Playhouse({ baseUrl: url }).events.consume({ checkpoint }, () => {}),
		).rejects.toMatchObject({ name: 'PermissionError' })
		expect(received).toHaveLength(1)
	})
})

describe('assets.waitUntilReady', () => {
	const asset = (status: string) =>
		answer(200, { data: { id: 'ast_1', status, errorMessage: 'the file is damaged' } })
	const stream = (...statuses: string[]): Answer => {
		const lines = statuses.map((status) => `event: progress\ndata: ${JSON.stringify({ status })}\n\n`)
		return answer(200, lines.join(''), { 'content-type': 'text/event-stream' })
	}
	const wait = (url: string, seen: string[] = []) =>
		new Playhouse({ baseUrl: url, retries: 0 }).assets.waitUntilReady(
			{ assetId: 'ast_1' },
			{ pollMs: 1, onProgress: ({ status }) => void seen.push(status) },
		)

	test('assets.waitUntilReady follows the stream, and returns the asset when it is ready', async () => {
		const { url, received } = await startFailingServer(
			asset('queued'),
			stream('processing', 'ready'),
			asset('ready'),
		)
		const seen: string[] = []
		expect(await wait(url, seen)).toMatchObject({ status: 'ready' })
		expect(seen).toEqual(['processing', 'ready'])
		expect(received).toHaveLength(3)
	})

	test('assets.waitUntilReady polls the asset while too many streams are open', async () => {
		const busy = answer(429, { error: 'too many streams' })
		const { url } = await startFailingServer(asset('queued'), busy, asset('processing'), busy, asset('ready'))
		expect(await wait(url)).toMatchObject({ status: 'ready' })
	})

	test('assets.waitUntilReady throws the error message of the asset if its processing fails', async () => {
		const { url } = await startFailingServer(asset('processing'), stream('error'), asset('error'))
		await expect(wait(url)).rejects.toMatchObject({ name: 'ProcessingError', message: 'the file is damaged' })
	})

	test('assets.waitUntilReady throws at once if the asset does not exist', async () => {
		const { url, received } = await startFailingServer(
			answer(404, { error: 'no' }, { 'x-error-code': 'not_found' }),
		)
		await expect(wait(url)).rejects.toMatchObject({ name: 'NotFoundError' })
		expect(received).toHaveLength(1)
	})
})

const memberTokens = {
	access_token: 'access0',
	access_token_expires_at: '2026-01-01T00:00:00.000Z',
	refresh_token: 'refresh0',
	refresh_token_expires_at: '2027-01-01T00:00:00.000Z',
	community_member_id: 1,
	community_id: 1,
}

test('renewMemberToken refuses to send a refresh token over http to another host', () => {
	const baseUrl = 'http://video.example.com'
	expect(() => renewMemberToken({ baseUrl }, memberTokens)).toThrow(
		new TypeError(
			'http://video.example.com would get the credential unencrypted; use https, or set allowInsecureHttp',
		),
	)
	expect(renewMemberToken({ baseUrl, allowInsecureHttp: true }, memberTokens)).toBeTypeOf('function')
})

test('concurrent calls renew a member token once, and again when the new token expires', async () => {
	let renewals = 0
	const { url, received } = await startFailingServer((response, request) => {
		const isRenewal = request.path.endsWith('/refresh')
		const expiresAt = new Date(Date.now() + (renewals === 0 ? 0 : 3_600_000)).toISOString()
		if (isRenewal) renewals++
		const tokens = {
			access_token: `access${renewals}`,
			refresh_token: `refresh${renewals}`,
			access_token_expires_at: expiresAt,
		}
		response.end(JSON.stringify(isRenewal ? tokens : { records: [], has_next_page: false }))
	})
	const stored: string[] = []
	const token = renewMemberToken(
		{ baseUrl: url },
		memberTokens,
		({ refresh_token }) => void stored.push(refresh_token),
	)
	const member = new Playhouse({ baseUrl: url, token })
	const callMany = () => Promise.all(Array.from({ length: 8 }, () => member.community.spaces.list()))
	await callMany()
	await callMany()
	expect(stored).toEqual(['refresh1', 'refresh2'])
	const renewed = received.filter(({ path }) => path.endsWith('/refresh')).map(({ body }) => body)
	expect(renewed).toEqual(['{"refresh_token":"refresh0"}', '{"refresh_token":"refresh1"}'])
	const used = received
		.filter(({ path }) => !path.endsWith('/refresh'))
		.map(({ headers }) => headers.authorization)
	expect(used).toEqual([...Array(8).fill('Bearer access1'), ...Array(8).fill('Bearer access2')])
})
