import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Frame, Page } from 'playwright-core'
import { createPlaybackToken, updateAsset } from '#schema/contract/video/assets.ts'
import type { Film, PlayerSite } from './player-site.node.ts'

/** The page of a customer on another origin, with the reference implementation of the protocol. */
export const pageWith = (frame: string, script = '') =>
	`<!doctype html><title>Customer</title><link rel="icon" href="data:,"><script src="/player.js"></script>${frame}<script>
		const frame = document.querySelector('iframe')
		const messages = []
		addEventListener('message', (event) => { if (event.source === frame.contentWindow) messages.push(JSON.parse(event.data)) })
		const player = new playerjs.Player(frame)
		const isReady = new Promise((resolve) => player.on('ready', resolve))
		const get = (name) => new Promise((resolve) => player['get' + name](resolve))
		const send = (message) => frame.contentWindow.postMessage(message, '*')
		${script}
	</script>`

type Options = {
	headers?: Record<string, string> | undefined
	/** Runs in the page and its frames before their own scripts. */
	script?: string
	prepare?: (page: Page) => Promise<unknown>
}

/** A server of a customer, whose pages contain frames of the player. */
export async function openCustomerSite({ browser, url }: PlayerSite) {
	const pages = new Map<string, { body: string | Buffer; headers: Record<string, string> }>()
	const reference = await readFile(new URL(import.meta.resolve('player.js/dist/player-0.1.0.js')))
	pages.set('/player.js', { body: reference, headers: { 'content-type': 'text/javascript' } })
	const server = createServer((request, response) => {
		const page = pages.get(request.url ?? '')
		response.writeHead(page ? 200 : 404, page?.headers).end(page?.body)
	}).listen(0, '127.0.0.1')
	await once(server, 'listening')
	return {
		/** Opens a page in a fresh profile. */
		async open(body: string, { headers, script = '', prepare }: Options = {}) {
			pages.set('/', { body, headers: { 'content-type': 'text/html', ...headers } })
			const context = await browser.newContext()
			const page = await context.newPage()
			await page.addInitScript(script)
			await prepare?.(page)
			const problems: string[] = []
			page.on('console', (line) => void (line.type() === 'error' && problems.push(line.text())))
			await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/`)
			const embedded = (): Frame => {
				const frame = page.frames().find((each) => each.url().startsWith(url))
				if (!frame) throw new Error('the frame is not there')
				return frame
			}
			return { page, problems, embedded, [Symbol.asyncDispose]: () => context.close() }
		},
		close: () => server.close(),
	}
}

export type CustomerSite = Awaited<ReturnType<typeof openCustomerSite>>

/** Publishes a signed video. Two tokens need two lifetimes, because those of the same second would be equal. */
export async function publishSigned(
	site: PlayerSite,
): Promise<{ signed: Film; newToken(expiresInSec: number): Promise<string> }> {
	const signed = await site.publish('Signed')
	const options = { token: site.token }
	const params = { assetId: signed.id }
	await site.call(updateAsset, { params, body: { visibility: 'signed' } }, options)
	const newToken = async (expiresInSec: number) =>
		(await site.call(createPlaybackToken, { params, body: { audience: 'v', expiresInSec } }, options)).data
			.token
	return { signed, newToken }
}
