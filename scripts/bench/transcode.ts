import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ladderOf, rungOf } from '../../edge/transcoding/ladder.ts'
import { median } from './statistics.ts'
import { type Made, startOurs } from './transcode/ours.ts'
import { encodeAtOnce, encodePerRung } from './transcode/rivals.ts'
import { makeSource } from './transcode/sources.ts'

const usage = `npm run bench:transcode [-- options]

How long it takes until a 1080p video is ready, in turns with what it is measured against, on this machine and with
the same encoder settings. "per rung" is one ffmpeg for each rung, one after the other, then MP4s, poster and sheet;
"bare" is one ffmpeg with one decode and nothing besides; ours is everything: upload to the store, the machine's
daemon, pictures, sound, playlists, MP4s. Shown are medians over the rounds, and ratios within the same run.

  --seconds N   length of the source (60)
  --rounds N    rounds (3)
  --only LIST   parts to run, of standard,other,machines,early (all)
  --help        this text`

const { values } = parseArgs({
	options: {
		seconds: { type: 'string', default: '60' },
		rounds: { type: 'string', default: '3' },
		only: { type: 'string', default: 'standard,other,machines,early' },
		help: { type: 'boolean', short: 'h', default: false },
	},
})

const fps = { num: 30, den: 1 }
const rungs = ladderOf({ width: 1_920, height: 1_080 }, fps).map((step) =>
	rungOf(step, fps, 'h264', 'libx264'),
)
const ANY_CORE: readonly string[] = []
const onCore = (core: number) => ['taskset', '-c', `${core}`]

type Row = { seconds: number; peakBytes: number }
type Results = Map<string, Row[]>

if (values.help) console.log(usage)
else await bench(countOf(values.seconds), countOf(values.rounds), values.only.split(','))

async function bench(seconds: number, rounds: number, parts: string[]): Promise<void> {
	const folder = await mkdtemp(join(tmpdir(), 'playhouse-transcode-'))
	const results: Results = new Map()
	try {
		console.log(
			`${seconds} s of 1080p30; rungs ${rungs.map(({ quality }) => quality).join(' ')}; ${rounds} rounds`,
		)
		const standard = join(folder, 'standard.mp4')
		const other = join(folder, 'other.mp4')
		const long = join(folder, 'long.mp4')
		await makeSource(standard, seconds, true)
		await makeSource(other, seconds, false)
		if (parts.includes('early')) await makeSource(long, seconds * 5, true)
		await using ours = await startOurs()
		const turns: Record<string, [string, () => Promise<Row>][]> = {
			standard: [
				['standard: per rung', () => encodePerRung(standard, folder, rungs)],
				['standard: bare, top rung copied', () => encodeAtOnce(standard, folder, rungs, true)],
				['standard: ours', () => ours.make(standard, { machines: [ANY_CORE] }).then(whole)],
			],
			other: [
				['other: per rung', () => encodePerRung(other, folder, rungs)],
				['other: bare', () => encodeAtOnce(other, folder, rungs, false)],
				['other: ours', () => ours.make(other, { machines: [ANY_CORE] }).then(whole)],
			],
			machines: [
				['machines: one, one core', () => ours.make(other, { machines: [onCore(0)] }).then(ready)],
				[
					'machines: two, a core each',
					() => ours.make(other, { machines: [onCore(0), onCore(1)] }).then(ready),
				],
			],
			early: [
				[`early: ${seconds} s`, () => early(standard)],
				[`early: ${seconds * 5} s`, () => early(long)],
			],
		}
		const early = (source: string) =>
			ours.make(source, { machines: [ANY_CORE], playback: 'early' }).then(ready)

		for (let round = 1; round <= rounds; round++)
			for (const part of parts)
				for (const [name, take] of turns[part] ?? []) {
					const row = await take()
					results.set(name, [...(results.get(name) ?? []), row])
					console.log(`round ${round}  ${name.padEnd(34)} ${row.seconds.toFixed(1).padStart(7)} s`)
				}
		report(results, seconds)
	} finally {
		await rm(folder, { recursive: true, force: true })
	}
}

const whole = ({ completeSec, peakBytes }: Made): Row => ({ seconds: completeSec, peakBytes })
const ready = ({ readySec, peakBytes }: Made): Row => ({ seconds: readySec, peakBytes })

function report(results: Results, seconds: number): void {
	console.log('')
	for (const [name, rows] of results) {
		const peak = Math.max(...rows.map(({ peakBytes }) => peakBytes)) / 1024 ** 2
		console.log(
			`${name.padEnd(34)} ${secondsOf(results, name).toFixed(1).padStart(7)} s ${peak.toFixed(0).padStart(7)} MiB`,
		)
	}
	console.log('')
	say(results, 'standard: per rung', 'standard: ours', '≥ 2.4')
	say(results, 'standard: per rung', 'standard: bare, top rung copied', 'the limit')
	say(results, 'other: per rung', 'other: ours', '≥ 1.2')
	say(results, 'other: bare', 'other: ours', '≥ 0.95')
	say(results, 'machines: one, one core', 'machines: two, a core each', '≥ 1.85')
	say(results, `early: ${seconds} s`, `early: ${seconds * 5} s`, 'does not fall with the length')
}

const secondsOf = (results: Results, name: string): number =>
	median((results.get(name) ?? []).map(({ seconds }) => seconds))

/** How many times the second is as fast as the first. */
function say(results: Results, slow: string, fast: string, wanted: string): void {
	if (!results.has(slow) || !results.has(fast)) return
	const ratio = secondsOf(results, slow) / secondsOf(results, fast)
	console.log(`${fast} is ${ratio.toFixed(2)} times as fast as ${slow}  (${wanted})`)
}

function countOf(text: string): number {
	if (/^[1-9]\d{0,4}$/.test(text)) return Number(text)
	console.error(`${text} is not a whole number; --help says more.`)
	process.exit(2)
}
