import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { planLadder, planRung } from '../../../edge/video/transcoding/plan/ladder.ts'
import { parseOptions } from '../../lib/command-options.ts'
import { computeMedian } from '../lib/statistics.ts'
import { encodeAtOnce, encodeOnCores, encodePerRung } from './baselines.ts'
import { pinToCore } from './ffmpeg.ts'
import { type Measurement, startPlayhouse } from './playhouse-run.ts'
import { makeSource } from './sources.ts'

const usage = `npm run bench -- transcode [options]

Measures how long a 1080p video takes until it is ready, in turns with baselines, on this machine and with the same
encoder settings. "per rung" runs one ffmpeg per rung, one after the other, then makes MP4s, poster and thumbnails.
"bare" runs one ffmpeg with a single decode and nothing else. "ours" includes everything: upload, daemon, thumbnails,
audio, playlists and MP4s; "playable" is when playback can start.
Two machines with one core each are compared with two bare ffmpegs that encode equal halves, which shows the value of a
second core here. Early playback is compared with the time to store the source. After each round the medians so far are
printed, and ratios within the same run, of wall time and of CPU time. CPU time is more reliable on a busy machine; for
"ours" it includes the daemon and its ffmpegs, but not the Worker, the store and the database.

  --seconds N   length of the source (default 60); two machines share a video twice as long, early playback also uses one five times as long
  --rounds N    rounds (default 3)
  --only LIST   parts to run: standard,other,machines,early (default all)
  --help        show this help`

const { values } = parseOptions({
	options: {
		seconds: { type: 'string', default: '60' },
		rounds: { type: 'string', default: '3' },
		only: { type: 'string', default: 'standard,other,machines,early' },
		help: { type: 'boolean', short: 'h', default: false },
	},
})

const fps = { num: 30, den: 1 }
const rungs = planLadder({ width: 1_920, height: 1_080 }, fps).map((step) =>
	planRung(step, fps, 'h264', 'libx264'),
)
const ANY_CORE: readonly string[] = []
/** Two machines get a video of twice the length: a minute has fifteen segments, an odd number. */
const SHARED = 2

type Results = Map<string, Measurement[]>

async function bench(seconds: number, rounds: number, parts: string[]): Promise<void> {
	const folder = await mkdtemp(join(tmpdir(), 'playhouse-transcode-'))
	const results: Results = new Map()
	try {
		console.log(
			`${seconds} s of 1080p30; rungs ${rungs.map(({ quality }) => quality).join(' ')}; ${rounds} rounds`,
		)
		const standard = join(folder, 'standard.mp4')
		const other = join(folder, 'other.mp4')
		const shared = join(folder, 'shared.mp4')
		const long = join(folder, 'long.mp4')
		const includesAny = (...names: string[]) => names.some((part) => parts.includes(part))
		if (includesAny('standard', 'early')) await makeSource(standard, seconds, true)
		if (includesAny('other')) await makeSource(other, seconds, false)
		if (includesAny('machines')) await makeSource(shared, seconds * SHARED, false)
		if (includesAny('early')) await makeSource(long, seconds * 5, true)
		await using ours = await startPlayhouse()
		const turns: Record<string, [string, () => Promise<Measurement>][]> = {
			standard: [
				['standard: per rung', () => encodePerRung(standard, folder, rungs)],
				['standard: bare, top rung copied', () => encodeAtOnce(standard, folder, rungs, true)],
				['standard: ours', () => ours.make(standard, { machines: [ANY_CORE], until: 'complete' })],
			],
			other: [
				['other: per rung', () => encodePerRung(other, folder, rungs)],
				['other: bare', () => encodeAtOnce(other, folder, rungs, false)],
				['other: ours', () => ours.make(other, { machines: [ANY_CORE], until: 'complete' })],
			],
			machines: [
				[
					'machines: bare, one core',
					() => encodeOnCores(shared, folder, rungs, { cores: 1, seconds: seconds * SHARED }),
				],
				[
					'machines: bare halves, a core each',
					() => encodeOnCores(shared, folder, rungs, { cores: 2, seconds: seconds * SHARED }),
				],
				['machines: one, one core', () => ours.make(shared, { machines: [pinToCore(0)], until: 'ready' })],
				[
					'machines: two, a core each',
					() => ours.make(shared, { machines: [pinToCore(0), pinToCore(1)], until: 'ready' }),
				],
			],
			early: [
				[`early: ${seconds} s`, () => early(standard)],
				[`early: ${seconds * 5} s`, () => early(long)],
				[`early: the store takes ${seconds} s`, () => ours.store(standard)],
				[`early: the store takes ${seconds * 5} s`, () => ours.store(long)],
			],
		}
		const early = (source: string) =>
			ours.make(source, { machines: [ANY_CORE], playback: 'early', until: 'ready' })

		for (let round = 1; round <= rounds; round++) {
			for (const part of parts)
				for (const [name, run] of turns[part] ?? []) {
					const row = await run()
					results.set(name, [...(results.get(name) ?? []), row])
					console.log(`round ${round}  ${name.padEnd(34)} ${row.seconds.toFixed(1).padStart(7)} s`)
				}
			report(results, seconds)
		}
	} finally {
		await rm(folder, { recursive: true, force: true })
	}
}

function report(results: Results, seconds: number): void {
	console.log(`\n${''.padEnd(34)}      time  playable       CPU    memory`)
	for (const [name, rows] of results) {
		const peak = Math.max(...rows.map(({ peakBytes }) => peakBytes)) / 1024 ** 2
		const [time, playable, cpu] = (['seconds', 'playableSec', 'cpuSec'] as const).map((measure) =>
			rows[0]?.[measure] === undefined
				? ''.padStart(9)
				: `${medianOf(rows, measure).toFixed(1).padStart(7)} s`,
		)
		console.log(`${name.padEnd(34)} ${time} ${playable} ${cpu} ${peak.toFixed(0).padStart(5)} MiB`)
	}
	console.log('')
	printRatio(results, 'standard: per rung', 'standard: ours', '≥ 2.4')
	printRatio(results, 'standard: per rung', 'standard: bare, top rung copied', 'the limit')
	printRatio(results, 'other: per rung', 'other: ours', '≥ 1.2')
	printRatio(results, 'other: bare', 'other: ours', '≥ 0.95')
	printRatio(results, 'machines: one, one core', 'machines: two, a core each', '≥ 1.85')
	printRatio(results, 'machines: bare, one core', 'machines: bare halves, a core each', 'the limit')
	const [short, long] = [`early: ${seconds} s`, `early: ${seconds * 5} s`]
	const [shortStored, longStored] = [
		`early: the store takes ${seconds} s`,
		`early: the store takes ${seconds * 5} s`,
	]
	const more = differenceOf(results, short, long)
	const stored = differenceOf(results, shortStored, longStored)
	if (more !== null && stored !== null)
		console.log(
			`${long} takes ${more} s more than ${short}  (storing the source once takes ${stored} s more)`,
		)
	console.log('')
}

function differenceOf(results: Results, short: string, long: string): string | null {
	const [shorter, longer] = [results.get(short), results.get(long)]
	return shorter && longer ? (medianOf(longer, 'seconds') - medianOf(shorter, 'seconds')).toFixed(1) : null
}

type Measure = 'seconds' | 'playableSec' | 'cpuSec'

const medianOf = (rows: readonly Measurement[], measure: Measure): number =>
	computeMedian(rows.map((row) => row[measure] ?? 0))

/**
 * Prints how many times faster the second is than the first, in wall time and in CPU time, which other programs do
 * not affect.
 */
function printRatio(results: Results, slow: string, fast: string, target: string): void {
	const [slower, faster] = [results.get(slow), results.get(fast)]
	if (!slower || !faster) return
	const ratio = (of: Measure, to = of) => (medianOf(slower, of) / medianOf(faster, to)).toFixed(2)
	const played =
		faster[0]?.playableSec === undefined ? '' : `; until playable ${ratio('seconds', 'playableSec')}`
	console.log(
		`${fast} is ${ratio('seconds')} times as fast as ${slow}  (${target})${played}; by CPU time ${ratio('cpuSec')}`,
	)
}

function countOf(text: string): number {
	if (/^[1-9]\d{0,4}$/.test(text)) return Number(text)
	console.error(`${text} is not a whole number; see --help.`)
	process.exit(2)
}

if (values.help) console.log(usage)
else await bench(countOf(values.seconds), countOf(values.rounds), values.only.split(','))
