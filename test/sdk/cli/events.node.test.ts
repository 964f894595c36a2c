import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { unwrapWebhook } from '../../../sdk/src/index.ts'
import { type RunningWorker, startWorker } from '../../support/shared/miniflare-worker.ts'
import { type CommandLine, createOwner, openCommandLine, removeCommandLine } from './cli.node.ts'

let worker: RunningWorker
let ada: Awaited<ReturnType<typeof createOwner>>
let cli: CommandLine
beforeAll(async () => {
	worker = await startWorker()
	ada = await createOwner(worker.url, 'ada@example.org', ['read', 'write', 'admin'])
	cli = await openCommandLine({ PLAYHOUSE_URL: worker.url, PLAYHOUSE_API_KEY: ada.key })
})
afterAll(async () => {
	await removeCommandLine(cli)
	await worker?.dispose()
})

type Received = { body: string; headers: Record<string, string> }

/** Starts a receiver that answers with the given statuses, and then with 204. */
async function openReceiver(port = 0, statuses: number[] = []) {
	const received: Received[] = []
	const server = createServer(async (request, response) => {
		received.push({ body: await text(request), headers: request.headers as Record<string, string> })
		response.writeHead(statuses.shift() ?? 204).end()
	})
	await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
	const close = async () => {
		server.closeAllConnections()
		await new Promise((resolve) => server.close(resolve))
	}
	onTestFinished(async () => {
		if (server.listening) await close()
	})
	const address = server.address() as AddressInfo
	return { received, port: address.port, url: `http://127.0.0.1:${address.port}/hook`, close }
}

/** Starts `listen`, and waits until it forwards. */
async function startListening(url: string, ...more: string[]) {
	const listen = cli.start(['listen', '--forward-to', url, '--types', 'asset.created', ...more])
	onTestFinished(() => void listen.kill('SIGKILL'))
	if (listen.stderr) await once(listen.stderr, 'data')
	// A process is a promise, so it is wrapped: `await` would wait for its end.
	return { process: listen }
}

const createAssets = async (...titles: string[]) => {
	for (const title of titles) await ada.playhouse.assets.create({ title })
}
const readTitles = (received: readonly Received[]) => received.map(({ body }) => JSON.parse(body).data.title)

test('events ls prints events in order, and events tail prints those that happen', async () => {
	await createAssets('Before')
	const listed = await cli.run('events', 'ls', '--types', 'asset.created', '--json')
	const [event] = listed.stdout.split('\n').map((line) => JSON.parse(line))
	expect(event).toMatchObject({ type: 'asset.created', data: { title: 'Before' } })
	const tail = cli.start(['events', 'tail', '--json'])
	if (tail.stderr) await once(tail.stderr, 'data')
	const printed = tail.stdout ? once(tail.stdout, 'data') : undefined
	await createAssets('After')
	expect(JSON.parse(String(await printed))).toMatchObject({ data: { title: 'After' } })
	tail.kill('SIGINT')
	expect((await tail).exitCode).toBe(130)
	expect((await cli.run('events', 'tail', '--from', 'yesterday')).exitCode).toBe(2)
})

test('listen forwards every event in order while receiver and listen restart', async () => {
	let receiver = await openReceiver()
	const { url, port } = receiver
	const all: Received[] = []
	let { process: listen } = await startListening(url)
	const titles = Array.from({ length: 12 }, (_, index) => `Film ${index}`)
	for (const [index, title] of titles.entries()) {
		await createAssets(title)
		if (index % 4 === 1) {
			await receiver.close()
			all.push(...receiver.received)
			await createAssets(`${title} while the receiver is off`)
			receiver = await openReceiver(port, [503])
		}
		if (index % 4 === 3) {
			listen.kill('SIGKILL')
			await listen
			await createAssets(`${title} while nobody listens`)
			listen = (await startListening(url)).process
		}
	}
	const last = 'Film 11 while nobody listens'
	await vi.waitFor(() => expect(readTitles(receiver.received)).toContain(last), 30_000)
	all.push(...receiver.received)
	const seen = readTitles(all)
	const expected = titles.flatMap((title, index) => [
		title,
		...(index % 4 === 1 ? [`${title} while the receiver is off`] : []),
		...(index % 4 === 3 ? [`${title} while nobody listens`] : []),
	])
	expect([...new Set(seen)]).toEqual(expected)
	listen.kill('SIGINT')
	expect((await listen).exitCode).toBe(130)
})

test('listen signs with a secret that stays the same, as two verifiers confirm', async () => {
	const receiver = await openReceiver()
	const args = ['listen', '--forward-to', receiver.url, '--print-secret']
	const [{ stdout: secret }, second] = await Promise.all([cli.run(...args), cli.run(...args)])
	const third = await cli.run(...args)
	expect([second, third].map(({ exitCode, stdout }) => [exitCode, stdout])).toEqual([
		[0, secret],
		[0, secret],
	])
	const { process: listen } = await startListening(receiver.url)
	await createAssets('Signed')
	await vi.waitFor(() => expect(receiver.received).toHaveLength(1), 30_000)
	const [{ body, headers } = { body: '', headers: {} }] = receiver.received
	expect(await unwrapWebhook(body, headers, secret)).toMatchObject({ data: { title: 'Signed' } })
	expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: 'asset.created' })
	listen.kill('SIGINT')
	expect((await listen).stderr).not.toContain(secret)
})

test('listen goes on after a receiver refuses an event, and a second listen for the address is refused', async () => {
	const receiver = await openReceiver(0, [400])
	const { process: listen } = await startListening(receiver.url, '--json')
	await createAssets('Refused', 'Accepted')
	await vi.waitFor(() => expect(readTitles(receiver.received)).toEqual(['Refused', 'Accepted']), 30_000)
	const second = await cli.run('listen', '--forward-to', receiver.url)
	expect([second.exitCode, second.stderr]).toEqual([
		75,
		`playhouse: another process (${listen.pid}) works on events for ${receiver.url}; wait until it has ended`,
	])
	listen.kill('SIGINT')
	const lines = (await listen).stdout.split('\n').map((line) => JSON.parse(line))
	expect(lines.map(({ status }) => status)).toEqual([400, 204])
})

test('listen --replay forwards a stored event again, and events resend names an unknown event', async () => {
	await createAssets('Replayed')
	const receiver = await openReceiver()
	const { data } = await ada.playhouse.events.read({ types: 'asset.created', limit: 200 })
	const { id = '' } = data.at(-1) ?? {}
	const replay = await cli.run('listen', '--forward-to', receiver.url, '--replay', id, '--json')
	expect(JSON.parse(replay.stdout)).toMatchObject({ event: id, status: 204 })
	expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([id])
	expect((await cli.run('events', 'resend', 'evt_00000000000000000000000000')).exitCode).toBe(5)
	expect((await cli.run('listen', '--forward-to', 'localhost:3000')).exitCode).toBe(2)
})
