import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openAsBlob } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { signup } from '../../../schema/contract/accounts/identity.ts'
import { createClient } from '../../../schema/contract/kit/client.ts'
import { createAsset, deleteAsset, getAsset } from '../../../schema/contract/video/assets.ts'
import { processAsset } from '../../../schema/contract/video/transcoding.ts'
import { completeUpload, createUploadUrl } from '../../../schema/contract/video/uploads.ts'
import { type MachineProcess, startMachine } from '../../lib/machine-process.ts'
import { root } from '../../lib/root.ts'
import { watchProcess } from './processes.ts'

const POLL_MS = 250
/**
 * An asset becomes ready soon after a log line of a machine. Polling is limited to that time, because it takes CPU
 * from what is measured.
 */
const RECENT_LOG_MS = 3_000
const MAX_POLL_PAUSE_MS = 5_000
const MAX_STARTUP_OUTPUT = 100_000
const TIMEOUT_MS = 3_600_000

export type Measurement = {
	/**
	 * Time from the processing request until the asset was ready; with `complete` until every rung could be downloaded.
	 */
	seconds: number
	/** Time from the same request until playback could start. */
	playableSec?: number
	/** CPU time of the machines and all their ffmpegs. */
	cpuSec: number
	/** Peak memory of the largest machine, including its ffmpegs. */
	peakBytes: number
}

/** Runs `npm start` in a temporary folder; machines are started for each measurement. */
export async function startPlayhouse() {
	const dataDir = await mkdtemp(join(tmpdir(), 'playhouse-bench-'))
	const edge = spawn(process.execPath, [join(root, 'scripts', 'start', 'main.ts'), '--no-daemon'], {
		cwd: root,
		env: { ...process.env, HOST: '127.0.0.1', PORT: '0', DATA_DIR: dataDir },
		stdio: ['ignore', 'pipe', 'inherit'],
	})
	const url = await urlIn(edge.stdout)
	const { FLEET_TOKEN } = JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8'))
	const body = { email: 'bench@example.org', password: 'a long enough one', name: 'Bench' }
	const { token } = (await createClient({ baseUrl: url, fetch }).call(signup, { body })).data
	const client = createClient({ baseUrl: url, fetch, token })

	async function upload(source: string): Promise<{ assetId: string; seconds: number }> {
		const { id: assetId } = (await client.call(createAsset, { body: { title: 'Bench' } })).data
		const { uploadUrl, headers } = (await client.call(createUploadUrl, { params: { assetId }, body: {} }))
			.data
		const body = await openAsBlob(source)
		const startedAt = performance.now()
		const put = await fetch(uploadUrl, { method: 'PUT', headers, body })
		if (!put.ok) throw new Error(`upload: ${put.status} ${await put.text()}`)
		return { assetId, seconds: (performance.now() - startedAt) / 1_000 }
	}

	/** Measures the time to store a source. */
	async function store(source: string): Promise<Measurement> {
		const { assetId, seconds } = await upload(source)
		await client.call(deleteAsset, { params: { assetId } })
		return { seconds, cpuSec: 0, peakBytes: 0 }
	}

	/**
	 * Uploads a source, then measures from the processing request on. `machines` holds a command prefix for each
	 * machine.
	 */
	async function make(
		source: string,
		options: { machines: (readonly string[])[]; playback?: 'early'; until: 'ready' | 'complete' },
	): Promise<Measurement> {
		// The baselines take minutes, so an idle connection may have been closed.
		await until(async () => (await fetch(`${url}/health/live`).catch(() => null)) && true)
		const { assetId } = await upload(source)
		const params = { assetId }
		await client.call(completeUpload, { params })

		const machines: MachineProcess[] = options.machines.map((before, index) =>
			startMachine({
				edgeUrl: url,
				fleetToken: FLEET_TOKEN,
				dataDir: join(dataDir, `machine-${index}`),
				name: `machine ${index}`,
				before,
			}),
		)
		try {
			for (const machine of machines) await connected(machine)
			const watches = machines.map(({ pid }) => watchProcess(pid))
			const startedAt = performance.now()
			await client.call(processAsset, { params, body: { playback: options.playback ?? 'complete' } })
			const elapsedSec = () => (performance.now() - startedAt) / 1_000
			const shouldPoll = pollLimiter(machines)
			const asset = await until(async () => {
				if (!shouldPoll()) return null
				const { data } = await client.call(getAsset, { params })
				if (data.status === 'error') throw new Error(`${source}: ${data.errorMessage}`)
				return data.status === 'ready' ? data : null
			})
			const playableSec = elapsedSec()
			if (options.until === 'complete')
				for (const { quality } of asset.renditions) await until(() => canDownload(assetId, quality))
			const seconds = options.until === 'complete' ? elapsedSec() : playableSec
			const cpuSec = watches.reduce((sum, watch) => sum + watch.cpuSec(), 0)
			const peakBytes = Math.max(...watches.map((watch) => watch.peakBytes()))
			for (const watch of watches) watch[Symbol.dispose]()
			// Remaining tasks of the asset would disturb the next measurement.
			await client.call(deleteAsset, { params })
			return { seconds, playableSec, cpuSec, peakBytes }
		} finally {
			for (const machine of machines) machine.signal('SIGTERM')
			await Promise.all(machines.map(({ ended }) => ended))
			for (const index of machines.keys())
				await rm(join(dataDir, `machine-${index}`), { recursive: true, force: true })
		}
	}

	const canDownload = async (assetId: string, quality: string) => {
		const answer = await fetch(`${url}/v1/assets/${assetId}/download?quality=${quality}`, {
			headers: { authorization: `Bearer ${token}` },
		})
		await answer.arrayBuffer()
		return answer.ok || null
	}

	return {
		make,
		store,
		async [Symbol.asyncDispose]() {
			const ended = once(edge, 'exit')
			edge.kill('SIGTERM')
			await ended
			await rm(dataDir, { recursive: true, force: true })
		},
	}
}

/**
 * Returns the URL that `npm start` prints. Keeps reading afterwards, because a program whose output is not read ends.
 */
function urlIn(output: Readable): Promise<string> {
	return new Promise((resolve, reject) => {
		let text = ''
		output.on('data', (chunk: Buffer) => {
			if (text.length < MAX_STARTUP_OUTPUT) text += chunk
			const url = /Playhouse is at (\S+)/.exec(text)?.[1]
			if (url) resolve(url)
		})
		output.once('end', () => reject(new Error(`npm start ended: ${text}`)))
	})
}

function pollLimiter(machines: readonly MachineProcess[]): () => boolean {
	let polledAt = 0
	return () => {
		const lastLogAt = Math.max(...machines.map(({ lines }) => Date.parse(String(lines.at(-1)?.time))))
		const isTime = Date.now() - lastLogAt < RECENT_LOG_MS || Date.now() - polledAt > MAX_POLL_PAUSE_MS
		if (isTime) polledAt = Date.now()
		return isTime
	}
}

const connected = (machine: MachineProcess) =>
	until(async () => machine.lines.some(({ message }) => message === 'connected') || null)

async function until<T>(attempt: () => Promise<T | null>): Promise<T> {
	const deadline = performance.now() + TIMEOUT_MS
	while (performance.now() < deadline) {
		const result = await attempt()
		if (result !== null) return result
		await sleep(POLL_MS)
	}
	throw new Error('timed out after an hour')
}
