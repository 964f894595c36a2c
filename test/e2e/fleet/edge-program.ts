import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createPublicNetwork } from '../../../scripts/lib/runtime/workers.ts'
import { startWorker, WORKER_NAME } from '../../support/shared/miniflare-worker.ts'
import { SQL_PATH } from '../../support/shared/worker-points.ts'
import type { EdgeRequest } from './edge-process.ts'

/** Run by edge-process.ts. Ends with its parent. */

const waiting = new Map<number, () => void>()
let lastToken = 0

const vars: Record<string, string> = JSON.parse(process.env.WORKER_VARS ?? '{}')
const starting = startWorker({
	persistTo: process.env.PERSIST_TO ?? '',
	vars,
	entry: join(import.meta.dirname, '../../edge/video/transcoding/faulty-worker.ts'),
	services: {
		...createPublicNetwork(vars.WEBHOOK_NETWORKS),
		CHAOS: async (request) => {
			const token = ++lastToken
			const resumed = new Promise<void>((done) => waiting.set(token, done))
			process.send?.({ point: await request.text(), token })
			await resumed
			return new Response(null)
		},
	},
})
// Added before the start is awaited, as the parent may end earlier.
process.on('disconnect', async () => {
	await (await starting).dispose()
	process.exit()
})
const { miniflare, url } = await starting

async function execute(request: EdgeRequest): Promise<unknown> {
	switch (request.type) {
		case 'sql': {
			// Not by a binding of Miniflare: it blocks this thread, which must read what the Worker prints.
			const body = JSON.stringify({ sql: request.sql, values: request.values ?? [] })
			// While an upgrade is proved, the Worker of the next release answers other requests.
			const headers = { 'MF-Route-Override': WORKER_NAME }
			const response = await fetch(url + SQL_PATH, { method: 'POST', body, headers })
			if (!response.ok) throw new Error(await response.text())
			return response.json()
		}
		case 'list': {
			const bucket = await miniflare.getR2Bucket(request.bucket)
			const keys: string[] = []
			let cursor: string | undefined
			do {
				const page = await bucket.list({ prefix: request.prefix, ...(cursor ? { cursor } : {}) })
				keys.push(...page.objects.map(({ key }) => key))
				cursor = page.truncated ? page.cursor : undefined
			} while (cursor)
			return keys
		}
		case 'text': {
			const bucket = await miniflare.getR2Bucket(request.bucket)
			return (await (await bucket.get(request.key))?.text()) ?? null
		}
		case 'cron': {
			const query = new URLSearchParams({ cron: request.expression, format: 'json' })
			return (await fetch(`${url}/cdn-cgi/local/scheduled?${query}`)).json()
		}
	}
}

process.on('message', async (message: (EdgeRequest & { id: number }) | { resume: number }) => {
	if ('resume' in message) {
		waiting.get(message.resume)?.()
		waiting.delete(message.resume)
		return
	}
	const { id, ...request } = message
	try {
		process.send?.({ id, result: await execute(request as EdgeRequest) })
	} catch (error) {
		process.send?.({ id, error: String(error) })
	}
})
const children = await readFile(`/proc/self/task/${process.pid}/children`, 'utf8').catch(() => '')
const pids = children.split(' ').map(Number).filter(Boolean)
process.send?.({ id: 0, result: { url, pids } })
