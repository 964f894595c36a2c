import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openAsBlob } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAsset, deleteAsset, getAsset } from '../../../schema/contract/assets.ts'
import { createClient } from '../../../schema/contract/client.ts'
import { signup } from '../../../schema/contract/identity.ts'
import { processAsset } from '../../../schema/contract/transcoding.ts'
import { completeUpload, createUploadUrl } from '../../../schema/contract/uploads.ts'
import { type MachineProcess, startMachine } from '../../fleet/machine-process.ts'
import { root } from '../../start/settings.ts'
import { watchProcess } from './processes.ts'

const LOOK_MS = 250
/** Nothing becomes ready long after a machine had something to say; and looking takes CPU from what is measured. */
const NEWS_MS = 3_000
const LOOK_ANYWAY_MS = 5_000
const MAX_GREETING = 100_000
const GIVE_UP_MS = 3_600_000

export type Made = {
	/** From the request to process until the asset was ready; or complete: until every rung could be downloaded, too. */
	seconds: number
	/** From the same on until it could be played, of what is played. */
	playableSec?: number
	/** CPU time of the machines and all their ffmpegs. */
	cpuSec: number
	/** What the one that held most held, with all its ffmpegs. */
	peakBytes: number
}

/** The product as `npm start` runs it, in a fresh folder, with machines that are started for each measurement. */
export async function startOurs() {
	const dataDir = await mkdtemp(join(tmpdir(), 'playhouse-bench-'))
	const edge = spawn(process.execPath, [join(root, 'scripts', 'start.ts'), '--no-daemon'], {
		cwd: root,
		env: { ...process.env, HOST: '127.0.0.1', PORT: '0', DATA_DIR: dataDir },
		stdio: ['ignore', 'pipe', 'inherit'],
	})
	const url = await addressIn(edge.stdout)
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

	/** How long the store takes for so many bytes, whoever sends them. */
	async function store(source: string): Promise<Made> {
		const { assetId, seconds } = await upload(source)
		await client.call(deleteAsset, { params: { assetId } })
		return { seconds, cpuSec: 0, peakBytes: 0 }
	}

	/** Uploads, then measures from the request to process on. `machines`: what each of them is started with. */
	async function make(
		source: string,
		options: { machines: (readonly string[])[]; playback?: 'early'; until: 'ready' | 'complete' },
	): Promise<Made> {
		// The rivals took minutes, and a connection that was open before them may be gone.
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
			const since = () => (performance.now() - startedAt) / 1_000
			const isTimeToLook = lookout(machines)
			const asset = await until(async () => {
				if (!isTimeToLook()) return null
				const { data } = await client.call(getAsset, { params })
				if (data.status === 'error') throw new Error(`${source}: ${data.errorMessage}`)
				return data.status === 'ready' ? data : null
			})
			const playableSec = since()
			if (options.until === 'complete')
				for (const { quality } of asset.renditions) await until(() => canDownload(assetId, quality))
			const seconds = options.until === 'complete' ? since() : playableSec
			const cpuSec = watches.reduce((sum, watch) => sum + watch.cpuSec(), 0)
			const peakBytes = Math.max(...watches.map((watch) => watch.peakBytes()))
			for (const watch of watches) watch[Symbol.dispose]()
			// What is still to be made of it would be in the way of the next measurement.
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

/** Goes on reading for as long as it writes: a program whose output nobody takes ends. */
function addressIn(output: Readable): Promise<string> {
	return new Promise((found, failed) => {
		let text = ''
		output.on('data', (chunk: Buffer) => {
			if (text.length < MAX_GREETING) text += chunk
			const url = /Playhouse is at (\S+)/.exec(text)?.[1]
			if (url) found(url)
		})
		output.once('end', () => failed(new Error(`npm start ended: ${text}`)))
	})
}

function lookout(machines: readonly MachineProcess[]): () => boolean {
	let lookedAt = 0
	return () => {
		const heardAt = Math.max(...machines.map(({ lines }) => Date.parse(String(lines.at(-1)?.time))))
		const isTime = Date.now() - heardAt < NEWS_MS || Date.now() - lookedAt > LOOK_ANYWAY_MS
		if (isTime) lookedAt = Date.now()
		return isTime
	}
}

const connected = (machine: MachineProcess) =>
	until(async () => machine.lines.some(({ message }) => message === 'connected') || null)

async function until<T>(look: () => Promise<T | null>): Promise<T> {
	const giveUpAt = performance.now() + GIVE_UP_MS
	while (performance.now() < giveUpAt) {
		const seen = await look()
		if (seen !== null) return seen
		await sleep(LOOK_MS)
	}
	throw new Error('gave up after an hour')
}
