import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { signup } from '../../../schema/contract/accounts/identity.ts'
import { createClient } from '../../../schema/contract/kit/client.ts'
import * as backups from '../../../schema/contract/operations/installation/backups.ts'
import { parseOptions } from '../../lib/command-options.ts'
import { root } from '../../lib/root.ts'
import { UNMARKED } from '../lib/node-modules.ts'
import { bundleModules, openWorkerRuntime, readConfiguredWorker, SECRET } from '../lib/worker-runtime.ts'
import { listWorkerdPids, readResidentBytes } from '../lib/workerd.ts'
import type { Operations } from './counting-worker.ts'
import { fill, recordMigrations } from './fill.ts'

const usage = `npm run bench -- backups [options]

Fills a database, backs it up, restores the backup with npm run operate -- restore, and on trial in the Worker. Prints the time, the
memory and the operations of each, and what they cost on Cloudflare.

  --rows N   rows of the database, in four tables (default 1000000)
  --help     show this help`

/** US$ for a million, beyond what a plan includes, as published by Cloudflare in November 2026. */
const prices = { rowsRead: 0.001, rowsWritten: 1, classA: 4.5, classB: 0.36, queue: 0.4 }
/** A message is written, read and deleted. */
const OPERATIONS_A_MESSAGE = 3
const MIB = 1024 ** 2
const SAMPLE_MS = 100

const { values } = parseOptions({
	options: {
		rows: { type: 'string', default: '1000000' },
		help: { type: 'boolean', short: 'h', default: false },
	},
})
if (values.help) console.log(usage)
else await bench(Number(values.rows))

async function startCounting() {
	const worker = {
		...(await readConfiguredWorker()),
		...(await bundleModules(join(import.meta.dirname, 'counting-worker.ts'), {
			conditions: ['workerd', 'worker', 'browser'],
			external: ['node:*', 'cloudflare:*'],
			plugins: [
				{
					name: 'node modules',
					setup: ({ onResolve }) =>
						onResolve({ filter: UNMARKED }, ({ path }) => ({ path: `node:${path}`, external: true })),
				},
			],
		})),
		name: 'counting',
	}
	return openWorkerRuntime([worker], async (runtime) => ({
		url: await runtime.readUrl('counting'),
		database: await runtime.openDatabase('counting'),
		directory: runtime.directory,
	}))
}

async function bench(rows: number): Promise<void> {
	await using site = await startCounting()
	const client = createClient({ baseUrl: site.url, fetch })
	const person = { email: 'ada@example.org', password: 'correct horse battery', name: 'Ada' }
	const { token } = (await client.call(signup, { body: person })).data
	const { call } = createClient({ baseUrl: site.url, fetch, token })
	await recordMigrations(site.database)
	await fill(site.database, rows)
	// Asked without the Worker, whose operations are counted.
	const newest = () =>
		site.database
			.prepare('select id, state, error, size_bytes, drilled_at, drill_error from backups')
			.first<Record<string, string | number | null>>()
	const takeOperations = async () => (await (await fetch(`${site.url}/operations`)).json()) as Operations
	const results: Record<string, object> = {}

	async function measure(name: string, work: () => Promise<void>): Promise<void> {
		await takeOperations()
		const isEnded = new AbortController()
		const memory = highestMemory(isEnded.signal)
		const startedAt = performance.now()
		await work()
		const seconds = (performance.now() - startedAt) / 1_000
		isEnded.abort()
		const done = await takeOperations()
		results[name] = {
			seconds: Math.round(seconds),
			'workerd MiB': Math.round((await memory) / MIB),
			...done,
			US$: costOf(done).toFixed(2),
		}
	}

	await measure('backup', async () => {
		await call(backups.runBackup, {})
		while ((await newest())?.state === 'running') await wait(500)
		const { error, size_bytes: bytes } = (await newest()) ?? {}
		if (error) throw new Error(String(error))
		console.log(`the backup has ${Math.round(Number(bytes) / MIB)} MiB`)
	})
	const id = String((await newest())?.id)
	const { data: download } = await call(backups.createBackupDownload, { params: { backupId: id } })
	const zip = join(site.directory, download.filename)
	await writeFile(zip, (await fetch(download.downloadUrl)).body ?? '')
	const startedAt = performance.now()
	const memory = await restore(zip, join(site.directory, 'restored.db'))
	const seconds = Math.round((performance.now() - startedAt) / 1_000)
	console.log(`npm run operate -- restore into a file: ${seconds} s, at most ${Math.round(memory / MIB)} MiB`)

	await measure('drill', async () => {
		await call(backups.verifyBackup, { params: { backupId: id } })
		while (!(await newest())?.drilled_at) await wait(500)
		const { drill_error: error } = (await newest()) ?? {}
		if (error) throw new Error(String(error))
	})
	console.table(results)
}

/** Returns the highest memory of workerd, in which the local D1 and R2 are. */
async function highestMemory(signal: AbortSignal): Promise<number> {
	let highest = 0
	while (!signal.aborted) {
		const sizes = await Promise.all((await listWorkerdPids()).map(readResidentBytes))
		highest = Math.max(
			highest,
			sizes.reduce((sum, size) => sum + size, 0),
		)
		await wait(SAMPLE_MS)
	}
	return highest
}

/** Returns the highest memory of the command. */
async function restore(zip: string, target: string): Promise<number> {
	const child = spawn(
		process.execPath,
		[join(root, 'scripts', 'operate', 'restore', 'main.ts'), zip, '--into', `file:${target}`],
		{ stdio: 'inherit', env: { ...process.env, AUTH_SECRET: SECRET } },
	)
	let highest = 0
	const exit = once(child, 'exit')
	let isRunning = true
	void exit.then(() => {
		isRunning = false
	})
	while (isRunning) {
		const status = await readFile(`/proc/${child.pid}/status`, 'latin1').catch(() => '')
		highest = Math.max(highest, Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1_024)
		await wait(SAMPLE_MS)
	}
	const [code] = await exit
	if (code !== 0) throw new Error('the restore failed')
	return highest
}

function costOf(done: Operations): number {
	const { rowsRead, objectRowsRead, rowsWritten, objectRowsWritten, classA, classB, messages } = done
	const millionths =
		(rowsRead + objectRowsRead) * prices.rowsRead +
		(rowsWritten + objectRowsWritten) * prices.rowsWritten +
		classA * prices.classA +
		classB * prices.classB +
		messages * OPERATIONS_A_MESSAGE * prices.queue
	return millionths / 1_000_000
}
