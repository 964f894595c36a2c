import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { median } from './statistics.ts'
import { send, uploadByTus } from './upload-client.ts'
import { startUploadWorkers } from './upload-workers.ts'

const MIB = 1024 ** 2
/** What resuming, counting and keeping the rest of each chunk may cost of a plain put. */
const TARGET = 0.8
const ADVISED_MIB = 50

const usage = `npm run bench:upload [-- options]

MiB a second of uploads of one size, in turns on this machine: through TUS and as the body of one request (both into
this Worker), as a bare R2 multipart put (in the same workerd, into the same bucket), and through @tus/server on a file
store, which has no bucket to write to. R2 is Miniflare's simulator; what carries over is the ratio to the bare put.
Ends with whether TUS in chunks of ${ADVISED_MIB} MiB, as /v1/config advises, keeps ${TARGET} of the bare put's pace. Smaller chunks
wait for an answer more often: each must be stored before the next one is sent.

  --rounds N   uploads each (5); what is shown are medians over them
  --size N     MiB of an upload (200)
  --chunk L    MiB of a TUS chunk (50,5)
  --help       this text`

const options = {
	rounds: { type: 'string', default: '5' },
	size: { type: 'string', default: '200' },
	chunk: { type: 'string', default: '50,5' },
	help: { type: 'boolean', short: 'h', default: false },
} as const

const { values } = parseArgs({ options })
if (values.help) console.log(usage)
else await bench(count(values.rounds), count(values.size) * MIB, values.chunk.split(',').map(count))

async function bench(rounds: number, bytes: number, chunks: number[]): Promise<void> {
	await using workers = await startUploadWorkers()
	const files = join(workers.directory, 'tus-node')
	await mkdir(files)
	const server = fork(join(import.meta.dirname, 'upload-tus-node.ts'), [files], { silent: true })
	try {
		const [port] = (await once(server.stdout as NodeJS.ReadableStream, 'data')) as [Buffer]
		const reference = { endpoint: `http://127.0.0.1:${String(port).trim()}/files`, headers: {} }
		const { ours, bare } = workers
		const ways: Record<string, () => Promise<number>> = {
			'bare R2 multipart put': () => timed(() => send(bare, 'PUT', {}, bytes)),
		}
		for (const chunk of chunks) {
			ways[`TUS, chunks of ${chunk} MiB`] = () =>
				ours.withAsset(bytes, ({ tus }) => timed(() => uploadByTus(tus, bytes, chunk * MIB)))
			ways[`@tus/server, chunks of ${chunk} MiB`] = () =>
				timed(() => uploadByTus(reference, bytes, chunk * MIB))
		}
		ways['PUT /v1/assets/{id}/upload'] = () =>
			ours.withAsset(bytes, async ({ raw }) => {
				const put = () => send(raw.url, 'PUT', raw.headers, bytes)
				return timed(put, ({ statusCode }) => statusCode === 200)
			})
		report(await takeTurns(ways, rounds, bytes, files), bytes)
	} finally {
		server.disconnect()
	}
}

/** Milliseconds of an upload alone, without the asset that is made for it. */
async function timed<T>(act: () => Promise<T>, isGood: (answer: T) => boolean = () => true): Promise<number> {
	const startedAt = performance.now()
	if (!isGood(await act())) throw new Error('an upload was refused')
	return performance.now() - startedAt
}

/** Each round begins with another one, so that none is always the first. */
async function takeTurns(
	ways: Record<string, () => Promise<number>>,
	rounds: number,
	bytes: number,
	files: string,
) {
	const names = Object.keys(ways)
	const measured = Object.fromEntries(names.map((name) => [name, [] as number[]]))
	for (const act of Object.values(ways)) await act()
	for (let round = 0; round < rounds; round++)
		for (let i = 0; i < names.length; i++) {
			const name = names[(round + i) % names.length] as string
			const ms = (await ways[name]?.()) ?? Number.NaN
			measured[name]?.push(bytes / MIB / (ms / 1000))
			for (const file of await readdir(files)) await rm(join(files, file))
		}
	return measured
}

function report(measured: Record<string, number[]>, bytes: number): void {
	const bare = measured['bare R2 multipart put'] ?? []
	const ratios: Record<string, number> = {}
	console.log(
		`${'way'.padEnd(34)} ${'MiB/s'.padStart(8)} ${'of bare'.padStart(8)}   uploads of ${bytes / MIB} MiB`,
	)
	for (const [name, paces] of Object.entries(measured)) {
		const ratio = median(paces.map((pace, i) => pace / (bare[i] ?? Number.NaN)))
		ratios[name] = ratio
		console.log(`${name.padEnd(34)} ${median(paces).toFixed(1).padStart(8)} ${ratio.toFixed(2).padStart(8)}`)
	}
	const judged = ratios[`TUS, chunks of ${ADVISED_MIB} MiB`]
	if (judged === undefined) return
	console.log(
		`\nTarget, TUS ≥ ${TARGET} × bare: ${judged >= TARGET ? 'met' : 'missed'} with ${judged.toFixed(2)}`,
	)
	if (judged < TARGET) process.exitCode = 1
}

function count(text: string): number {
	const n = Number(text)
	if (!Number.isInteger(n) || n < 1 || n > 10_000) throw new Error(`${text} is no number from 1 to 10000`)
	return n
}
