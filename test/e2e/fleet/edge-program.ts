import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startWorker } from '../../support/shared/miniflare-worker.ts'
import type { EdgeQuestion } from './edge-process.ts'

/** Run by edge-process.ts. Ends with its parent. */

const waiting = new Map<number, () => void>()
let reached = 0

const starting = startWorker({
	persistTo: process.env.PERSIST_TO ?? '',
	vars: JSON.parse(process.env.WORKER_VARS ?? '{}'),
	entry: join(import.meta.dirname, '../../edge/transcoding/faulty-worker.ts'),
	services: {
		CHAOS: async (request) => {
			const token = ++reached
			const goOn = new Promise<void>((done) => waiting.set(token, done))
			process.send?.({ reached: await request.text(), token })
			await goOn
			return new Response(null)
		},
	},
})
// Heard while it is still starting, too: its parent may not live to see that.
process.on('disconnect', async () => {
	await (await starting).dispose()
	process.exit()
})
const { miniflare, url } = await starting

async function answer(question: EdgeQuestion): Promise<unknown> {
	switch (question.ask) {
		case 'sql': {
			const db = await miniflare.getD1Database('DB')
			const { results } = await db
				.prepare(question.sql)
				.bind(...(question.values ?? []))
				.all()
			return results
		}
		case 'list': {
			const bucket = await miniflare.getR2Bucket(question.bucket)
			const keys: string[] = []
			let cursor: string | undefined
			do {
				const page = await bucket.list({ prefix: question.prefix, ...(cursor ? { cursor } : {}) })
				keys.push(...page.objects.map(({ key }) => key))
				cursor = page.truncated ? page.cursor : undefined
			} while (cursor)
			return keys
		}
		case 'text': {
			const bucket = await miniflare.getR2Bucket(question.bucket)
			return (await (await bucket.get(question.key))?.text()) ?? null
		}
		case 'cron': {
			const query = new URLSearchParams({ cron: question.expression, format: 'json' })
			return (await fetch(`${url}/cdn-cgi/local/scheduled?${query}`)).json()
		}
	}
}

process.on('message', async (message: (EdgeQuestion & { id: number }) | { goOn: number }) => {
	if ('goOn' in message) {
		waiting.get(message.goOn)?.()
		waiting.delete(message.goOn)
		return
	}
	const { id, ...question } = message
	try {
		process.send?.({ id, answer: await answer(question as EdgeQuestion) })
	} catch (error) {
		process.send?.({ id, error: String(error) })
	}
})
const children = await readFile(`/proc/self/task/${process.pid}/children`, 'utf8').catch(() => '')
const pids = children.split(' ').map(Number).filter(Boolean)
process.send?.({ id: 0, answer: { url, pids } })
