import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseOptions } from '../../lib/command-options.ts'
import { computeMedian } from '../lib/statistics.ts'
import { send, uploadByTus } from './client.ts'
import { startUploadWorkers } from './workers.ts'

const MIB = 1024 ** 2
/** Minimum share of the bare upload's throughput: resuming, counting and buffering cost the rest. */
const TARGET = 0.8
const ADVISED_MIB = 50

const usage = `npm run bench -- upload [options]

Measures MiB a second of uploads of one size, in turns on this machine: through TUS and as the body of one request (both
to this Worker), as a bare R2 multipart upload (in the same workerd and bucket), and through @tus/server on a file store,
which has no bucket. R2 is Miniflare's simulator, so only the ratio to the bare upload applies elsewhere. Fails if TUS
with chunks of ${ADVISED_MIB} MiB, as /v1/config advises, reaches less than ${TARGET} of the bare upload's throughput. Smaller chunks are
slower, because each must be stored before the next one is sent.

  --rounds N   uploads of each kind (default 5); the output shows medians
  --size N     MiB per upload (default 200)
  --chunk L    MiB per TUS chunk (default 50,5)
  --help       show this help`

const options = {
	rounds: { type: 'string', default: '5' },
	size: { type: 'string', default: '200' },
	chunk: { type: 'string', default: '50,5' },
	help: { type: 'boolean', short: 'h', default: false },
} as const

const { values } = parseOptions({ options })
if (values.help) console.log(usage)
else await bench(count(values.rounds), count(values.size) * MIB, values.chunk.split(',').map(count))

async function bench(rounds: number, bytes: number, chunks: number[]): Promise<void> {
	await using workers = await startUploadWorkers()
	const files = join(workers.directory, 'tus-node')
	await mkdir(files)
	const server = fork(join(import.meta.dirname, 'tus-node.ts'), [files], { silent: true })
	try {
		const [port] = (await once(server.stdout as NodeJS.ReadableStream, 'data')) as [Buffer]
		const reference = { endpoint: `http://127.0.0.1:${String(port).trim()}/files`, headers: {} }
		const { ours, bare } = workers
		const methods: Record<string, () => Promise<number>> = {
			'bare R2 multipart put': () => timed(() => send(bare, 'PUT', {}, bytes)),
		}
		for (const chunk of chunks) {
			methods[`TUS, chunks of ${chunk} MiB`] = () =>
				ours.withAsset(bytes, ({ tus }) => timed(() => uploadByTus(tus, bytes, chunk * MIB)))
			methods[`@tus/server, chunks of ${chunk} MiB`] = () =>
				timed(() => uploadByTus(reference, bytes, chunk * MIB))
		}
		methods['PUT /v1/assets/{id}/upload'] = () =>
			ours.withAsset(bytes, async ({ raw }) => {
				const put = () => send(raw.url, 'PUT', raw.headers, bytes)
				return timed(put, ({ statusCode }) => statusCode === 200)
			})
		report(await takeTurns(methods, rounds, bytes, files), bytes)
	} finally {
		server.disconnect()
	}
}

/** Returns the milliseconds of an upload, without creating its asset. */
async function timed<T>(
	upload: () => Promise<T>,
	isSuccess: (result: T) => boolean = () => true,
): Promise<number> {
	const startedAt = performance.now()
	if (!isSuccess(await upload())) throw new Error('an upload was rejected')
	return performance.now() - startedAt
}

/** Each round begins with a different method, so that the order favors none. */
async function takeTurns(
	methods: Record<string, () => Promise<number>>,
	rounds: number,
	bytes: number,
	files: string,
) {
	const names = Object.keys(methods)
	const measured = Object.fromEntries(names.map((name) => [name, [] as number[]]))
	for (const upload of Object.values(methods)) await upload()
	for (let round = 0; round < rounds; round++)
		for (let i = 0; i < names.length; i++) {
			const name = names[(round + i) % names.length] as string
			const ms = (await methods[name]?.()) ?? Number.NaN
			measured[name]?.push(bytes / MIB / (ms / 1000))
			for (const file of await readdir(files)) await rm(join(files, file))
		}
	return measured
}

function report(measured: Record<string, number[]>, bytes: number): void {
	const bare = measured['bare R2 multipart put'] ?? []
	const ratios: Record<string, number> = {}
	console.log(
		`${'method'.padEnd(34)} ${'MiB/s'.padStart(8)} ${'of bare'.padStart(8)}   uploads of ${bytes / MIB} MiB`,
	)
	for (const [name, rates] of Object.entries(measured)) {
		const ratio = computeMedian(rates.map((rate, i) => rate / (bare[i] ?? Number.NaN)))
		ratios[name] = ratio
		console.log(
			`${name.padEnd(34)} ${computeMedian(rates).toFixed(1).padStart(8)} ${ratio.toFixed(2).padStart(8)}`,
		)
	}
	const advisedRatio = ratios[`TUS, chunks of ${ADVISED_MIB} MiB`]
	if (advisedRatio === undefined) return
	console.log(
		`\nTarget, TUS ≥ ${TARGET} × bare: ${advisedRatio >= TARGET ? 'met' : 'missed'} with ${advisedRatio.toFixed(2)}`,
	)
	if (advisedRatio < TARGET) process.exitCode = 1
}

function count(text: string): number {
	const n = Number(text)
	if (!Number.isInteger(n) || n < 1 || n > 10_000) throw new Error(`${text} is not a number from 1 to 10000`)
	return n
}
