import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPublicNetwork } from '../../../../scripts/lib/runtime/workers.ts'

/** Requests a URL through the binding, and returns the status or the error. */
const script = `export default {
	async fetch(request, { PUBLIC_NETWORK }) {
		try {
			const response = await PUBLIC_NETWORK.fetch(new URL(request.url).searchParams.get('url'))
			return new Response(String(response.status))
		} catch (error) {
			return new Response('refused: ' + error.message)
		}
	}
}`

let hits = 0
const server = createServer((_, response) => {
	hits++
	response.end('private')
})

const openWorker = (allowedNetworks?: string) =>
	new Miniflare(
		convertV4MiniflareOptions({
			modules: true,
			script,
			compatibilityDate: '2026-11-01',
			serviceBindings: createPublicNetwork(allowedNetworks),
		}),
	)

let port: number
let restricted: Miniflare
let opened: Miniflare
beforeAll(async () => {
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
	port = (server.address() as AddressInfo).port
	restricted = openWorker()
	opened = openWorker('127.0.0.0/8')
})
afterAll(async () => {
	server.close()
	await Promise.all([restricted?.dispose(), opened?.dispose()])
})

const ask = async (worker: Miniflare, url: string) =>
	(await worker.dispatchFetch(`http://worker/?url=${encodeURIComponent(url)}`)).text()

describe('the network of webhooks under npm start', () => {
	test.each([
		['an address of this machine', '127.0.0.1'],
		['a name that resolves to this machine', 'localhost'],
		['an IPv6 address that maps to this machine', '[::ffff:127.0.0.1]'],
	])('webhooks under npm start refuse %s', async (_, host) => {
		hits = 0
		expect(await ask(restricted, `http://${host}:${port}/`)).toMatch(/^refused/)
		expect(hits).toBe(0)
	})

	test('webhooks under npm start reach a private network that the operator allowed', async () => {
		expect(await ask(opened, `http://127.0.0.1:${port}/`)).toBe('200')
		expect(await ask(opened, `http://localhost:${port}/`)).toBe('200')
	})
})
