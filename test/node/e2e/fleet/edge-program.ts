import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startWorker } from '../../../shared/miniflare-worker.ts'
import type { EdgeQuestion } from './edge-process.ts'

/** Run by edge-process.ts. Ends with its parent. */

const worker = await startWorker({
	persistTo: process.env.PERSIST_TO ?? '',
	vars: JSON.parse(process.env.WORKER_VARS ?? '{}'),
	// Hands over every message twice, as a queue may.
	entry: join(import.meta.dirname, 'doubling-worker.ts'),
})

async function answer(question: EdgeQuestion): Promise<unknown> {
	const { miniflare, url } = worker
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
		case 'cron': {
			const query = new URLSearchParams({ cron: question.expression, format: 'json' })
			return (await fetch(`${url}/cdn-cgi/local/scheduled?${query}`)).json()
		}
	}
}

process.on('message', async ({ id, ...question }: EdgeQuestion & { id: number }) => {
	try {
		process.send?.({ id, answer: await answer(question) })
	} catch (error) {
		process.send?.({ id, error: String(error) })
	}
})
process.on('disconnect', async () => {
	await worker.dispose()
	process.exit()
})

const children = await readFile(`/proc/self/task/${process.pid}/children`, 'utf8').catch(() => '')
const pids = children.split(' ').map(Number).filter(Boolean)
process.send?.({ id: 0, answer: { url: worker.url, pids } })
