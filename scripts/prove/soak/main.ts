import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseOptions } from '../../lib/command-options.ts'
import { videos } from '../../seed/demo.ts'
import { makeFilm } from '../../seed/films.ts'
import { reservePort } from '../../start/port.ts'
import { seed, signIn, startServer } from './installation.ts'
import { ANSWERED, INTERRUPTED, type Load, startLoad } from './load.ts'
import { computeGrowth, type Memory, measureProcess, type Sample, sumMemory } from './memory.ts'
import { createAccepted, findContent, findLost } from './mix.ts'

const help = `Runs npm start under a mixed load and measures the memory of each process. Needs Linux and ffmpeg.

  npm run prove -- soak [options]

  --minutes N    how long the load lasts (default 60)
  --rate N       requests a second (default 40)
  --restarts N   how often the server is restarted meanwhile, in turn by SIGTERM and SIGKILL (default 0)
  --warm-up N    minutes after which the memory must be flat (default 10, at most half of the minutes)
  --help         show this help

Fails if the memory grows by more than 10 % after the warm-up, a request gets an unexpected response, or something that
was accepted is missing at the end. With restarts, the memory is printed only.
`

const MAX_GROWTH = 1.1
const SAMPLE_MS = 10_000

type Options = { minutes: number; rate: number; restarts: number; warmUp: number }

async function soak(options: Options): Promise<boolean> {
	const folder = await mkdtemp(join(tmpdir(), 'playhouse-soak-'))
	try {
		return await soakIn(folder, options)
	} finally {
		await rm(folder, { recursive: true, force: true })
	}
}

async function soakIn(folder: string, options: Options): Promise<boolean> {
	const port = await reservePort('127.0.0.1', 0)
	const start = () => startServer(join(folder, 'data'), port)
	let server = await start()
	try {
		const session = await seed(server.url)
		const content = await findContent(server.url, session, await shortFilm())
		await sleep(SAMPLE_MS)
		printMemory('idle', measureProcess(server.pid))
		const accepted = createAccepted()
		const load = startLoad(content, accepted, options.rate)
		const restart = async (signal: NodeJS.Signals) => {
			load.isRestarting = true
			await server.stop(signal)
			server = await start()
			load.isRestarting = false
		}
		const samples = await watch(options, () => measureProcess(server.pid), restart)
		await load.stop()
		const lost = await findLost({ ...content, session: await signIn(server.url) }, accepted)
		console.log(
			`\naccepted: ${accepted.posts.size} posts, ${accepted.assets.size} videos; lost: ${lost.length}`,
		)
		for (const line of lost) console.log(`  ${line}`)
		return [isAnswered(load), isFlat(samples, options), lost.length === 0].every(Boolean)
	} finally {
		await server.stop('SIGTERM')
	}
}

/** Measures until the end, and restarts at equal distances. */
async function watch(
	{ minutes, restarts }: Options,
	measureNow: () => Memory,
	restart: (signal: NodeJS.Signals) => Promise<void>,
): Promise<Sample[]> {
	const startedAt = performance.now()
	const samples: Sample[] = []
	let restarted = 0
	for (let minute = 0; minute < minutes; ) {
		await sleep(SAMPLE_MS)
		minute = (performance.now() - startedAt) / 60_000
		const memory = measureNow()
		const isNewMinute = Math.floor(minute) > Math.floor(samples.at(-1)?.minute ?? 0)
		samples.push({ minute, memory })
		if (isNewMinute) printMemory(`minute ${Math.floor(minute)}`, memory)
		if (restarted < restarts && minute >= ((restarted + 1) * minutes) / (restarts + 1))
			await restart(restarted++ % 2 === 0 ? 'SIGTERM' : 'SIGKILL')
	}
	return samples
}

async function shortFilm(): Promise<Blob> {
	const [video] = videos
	if (!video) throw new Error('the demo has no video')
	await using film = await makeFilm(video)
	return new Blob([await readFile(film.path)])
}

function printMemory(when: string, memory: Memory): void {
	const parts = Object.entries(memory).map(([part, size]) => `${part} ${Math.round(size)}`)
	console.log(
		`${when.padEnd(10)} ${Math.round(sumMemory(memory) - memory.programs)} MiB without programs: ${parts.join(', ')}`,
	)
}

function isAnswered({ outcomes }: Load): boolean {
	console.log('\nrequests:')
	for (const [outcome, times] of outcomes) console.log(`  ${times} ${outcome}`)
	return [...outcomes.keys()].every((outcome) => outcome === ANSWERED || outcome === INTERRUPTED)
}

function isFlat(samples: readonly Sample[], { minutes, restarts, warmUp }: Options): boolean {
	const growth = computeGrowth(Math.min(warmUp, minutes / 2), samples)
	console.log(`\nmemory after the warm-up: ${((growth - 1) * 100).toFixed(1)} % more at the end`)
	return restarts > 0 || growth <= MAX_GROWTH
}

const { values } = parseOptions({
	options: {
		minutes: { type: 'string', default: '60' },
		rate: { type: 'string', default: '40' },
		restarts: { type: 'string', default: '0' },
		'warm-up': { type: 'string', default: '10' },
		help: { type: 'boolean', short: 'h' },
	},
})
const { minutes, rate, restarts, 'warm-up': warmUp, help: showsHelp } = values
if (showsHelp) {
	console.log(help)
} else if (
	![minutes, rate, restarts, warmUp].every((text) => /^\d{1,4}$/.test(text)) ||
	Number(minutes) * Number(rate) === 0
) {
	console.error(
		'--minutes and --rate must be whole numbers from 1 on, --restarts and --warm-up from 0; see --help.',
	)
	process.exitCode = 2
} else {
	const options = { minutes: Number(minutes), rate: Number(rate), restarts: Number(restarts) }
	if (!(await soak({ ...options, warmUp: Number(warmUp) }))) process.exitCode = 1
}
