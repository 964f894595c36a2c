/** @module-tag ffmpeg */

import { execFile } from 'node:child_process'
import { copyFile, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getPlayback } from '#schema/contract/video/playback.ts'
import { validatePresentation } from '../../../scripts/hls-validator/validate.ts'
import { openPlayer, type Played, type Player } from '../../edge/playback/player.node.ts'
import { chromiumPath } from '../../support/shared/chromium.ts'
import { corpus, longCorpus } from '../../support/shared/corpus.ts'
import type { CorpusItem } from '../../support/shared/corpus-item.ts'
import { programs } from '../../transcoder-daemon/ffmpeg/programs.ts'
import { countFrames, measureSsim, readNumbers } from '../../transcoder-daemon/tasks/encoded.ts'
import { decodeSound, tonesIn } from '../../transcoder-daemon/tasks/tones.ts'
import { startCountdown } from './countdown.ts'
import { type Home, openHome } from './one-command-installation.ts'
import { fetchPublished, type Published, type PublishedStream } from './published.ts'

/** scripts/prove/product-corpus.ts takes all there are, and real clips; the tests take a few that are unlike. */
const isLong = process.env.PRODUCT_CORPUS === 'all'
const short = ['ntsc-2997', 'many-tracks', 'transport-stream']
/** So many of all kinds are looked at in a browser, too. */
const played = [
	...[
		'film-23976',
		'slow-12-5',
		'vfr',
		'rotation-90',
		'anamorphic',
		'interlaced',
		'hdr',
		'silent',
		'audio-only',
	],
	...['many-tracks', 'start-not-zero', 'one-second', 'ten-minutes', 'car-detection', 'person-walking'],
]
const LEAST_SSIM = 0.95

type Input = Pick<CorpusItem, 'name' | 'file' | 'make'> & { item: CorpusItem | null }

const clipsDir = process.env.PLAYHOUSE_MEDIA_DIR
const clips: Input[] = (clipsDir ? await readdir(clipsDir) : [])
	.filter((name) => /\.(mp4|mov|mkv|webm)$/.test(name))
	.map((file) => ({
		name: file.replace(/\.\w+$/, ''),
		file,
		item: null,
		make: (_, path) => copyFile(join(clipsDir ?? '', file), path),
	}))
const inputs: Input[] = [
	...[...corpus, ...longCorpus].filter(({ name }) => isLong || short.includes(name)).map(asInput),
	...clips,
].filter(({ name }) => name.includes(process.env.PRODUCT_ONLY ?? ''))

function asInput(item: CorpusItem): Input {
	return { name: item.name, file: item.file, item, make: (ffmpeg, path) => item.make(ffmpeg, path) }
}

type Row = {
	name: string
	readySec: number
	rungs: string
	frames: string
	begin: string
	end: string
	tones: string
	ssim: string
	played: string
	problems: string[]
}

let home: Home
let player: Player | undefined
let dir: string
const rows: Row[] = []
const tell = startCountdown(inputs.length)
beforeAll(async () => {
	home = await openHome()
	dir = join(home.folder, 'corpus')
	await mkdir(dir)
	if (chromiumPath) player = await openPlayer()
})
afterAll(async () => {
	await player?.[Symbol.asyncDispose]()
	await home?.[Symbol.asyncDispose]()
	if (isLong) print()
})

test.each(inputs)(
	'$name is ready, whole, in time, valid and plays',
	{ timeout: 3_600_000 },
	async (input) => {
		const row = await take(input)
		rows.push(row)
		const { name, readySec, problems } = row
		const verdict = problems.length === 0 ? 'well' : problems.join('; ')
		if (isLong) tell(`${name.padEnd(16)} ready after ${readySec.toFixed(1)} s: ${verdict}`)
		expect(problems).toEqual([])
	},
)

async function take(input: Input): Promise<Row> {
	const { name, item } = input
	const path = join(dir, input.file)
	await input.make(programs.ffmpeg, path)
	const begunAt = performance.now()
	const { owner } = home
	const asset = await owner.settled(await owner.process(path, name))
	const readySec = (performance.now() - begunAt) / 1_000
	const row: Row = {
		...{ name, readySec, rungs: '', frames: '', begin: '', end: '', tones: '', ssim: '', played: '' },
		problems: [],
	}
	const must = (isSo: boolean, problem: string) => void (isSo || row.problems.push(problem))
	must(asset.status === 'ready', `${asset.status}: ${asset.errorMessage}`)
	if (asset.status !== 'ready') return row
	row.rungs = asset.renditions.map(({ quality }) => quality).join(' ')

	const { params, query } = { params: { playbackId: asset.playbackId }, query: {} }
	const { manifestUrl } = (await owner.client().call(getPlayback, { params, query })).data
	const report = await validatePresentation(manifestUrl)
	for (const { rule, where, message, level } of report.findings)
		must(level !== 'MUST', `rule ${rule}, ${where}: ${message}`)

	const made = await fetchPublished(manifestUrl, dir)
	for (const { gaps, name: stream } of [...made.rungs, ...made.sounds])
		must(gaps === 0, `${stream}: ${gaps} gaps`)
	const fps = await frameRateOf(path, item)
	if (fps) await checkPictures(path, item, fps, made, row, must)
	checkSync(fps, made, row, must)
	if (item && (!item.video || item.isNumbered)) await checkTones(item, fps, made, row, must)
	if (player && (played.includes(name) || !isLong)) {
		const rate = asset.durationSec > 60 ? 8 : 1
		checkPlayed(await player.play(manifestUrl, { rate }), asset.durationSec, row, must)
	}
	return row
}

type Must = (isSo: boolean, problem: string) => void
type Rate = { num: number; den: number }

/** null without a picture. */
async function frameRateOf(path: string, item: CorpusItem | null): Promise<Rate | null> {
	if (item) return item.video?.frameRate ?? null
	const entries = ['-select_streams', 'v:0', '-show_entries', 'stream=avg_frame_rate', '-of', 'csv=p=0', path]
	const { stdout } = await promisify(execFile)(programs.ffprobe, ['-v', 'error', ...entries])
	const [num = 0, den = 1] = stdout.trim().split('/').map(Number)
	return { num, den }
}

/** Each rung has the frames that one encoder would make of the source in one go: as many, and in this order. */
async function checkPictures(
	path: string,
	item: CorpusItem | null,
	fps: Rate,
	{ rungs }: Published,
	row: Row,
	must: Must,
): Promise<void> {
	const expected = await countFrames(path, fps, dir)
	row.frames = `${rungs.map(({ samples }) => samples).join(' ')} of ${expected}`
	must(rungs.length > 0, 'no rungs')
	for (const { samples, name } of rungs)
		must(samples === expected, `${name}: ${samples} frames, not ${expected}`)
	const [best] = rungs
	if (item) {
		const inOrder = item.isNumbered
			? Array.from({ length: expected }, (_, n) => n)
			: await readNumbers(path, dir, `fps=${fps.num}/${fps.den}`)
		for (const { path: rung, name } of rungs)
			must(`${await readNumbers(rung, dir)}` === `${inOrder}`, `${name}: frames lost, doubled or astray`)
	}
	const about = item ?? ({ reference: 'null', video: { frameRate: fps } } as CorpusItem)
	const rung = { ...best } as Parameters<typeof measureSsim>[3]
	const ssim = best ? await measureSsim(best.path, about, path, rung, dir) : 0
	row.ssim = ssim.toFixed(3)
	must(ssim > LEAST_SSIM, `${best?.name}: SSIM ${row.ssim}`)
}

/** Where sound and picture begin and end, by the times in their segments. */
function checkSync(fps: Rate | null, { rungs, sounds }: Published, row: Row, must: Must): void {
	const frameSec = fps ? fps.den / fps.num : 0
	const apart = (at: 'start' | 'end') =>
		Math.max(
			0,
			...rungs.flatMap((rung) => sounds.map((sound: PublishedStream) => Math.abs(rung[at] - sound[at]))),
		)
	for (const [at, column] of [
		['start', 'begin'],
		['end', 'end'],
	] as const) {
		if (rungs.length === 0 || sounds.length === 0) continue
		row[column] = inMs(apart(at))
		must(apart(at) <= frameSec, `sound and picture ${at} ${row[column]} ms apart`)
	}
}

/** Tones sound at full seconds, when the frame is shown that was made for that instant. */
async function checkTones(
	item: CorpusItem,
	fps: Rate | null,
	{ sounds }: Published,
	row: Row,
	must: Must,
): Promise<void> {
	const frameSec = fps ? fps.den / fps.num : 1 / 25
	let worst = 0
	for (const { path, name } of sounds) {
		const tones = tonesIn(await decodeSound(path, dir))
		const first = Math.ceil(item.audio[0]?.startSec ?? 0)
		const expected = Array.from({ length: item.seconds - first }, (_, k) => first + k)
		must(tones.length === expected.length, `${name}: ${tones.length} tones, not ${expected.length}`)
		worst = Math.max(worst, ...tones.map((tone, k) => Math.abs(tone - (expected[k] ?? 0))))
	}
	if (sounds.length > 0) row.tones = inMs(worst)
	must(worst <= frameSec, `a tone is ${inMs(worst)} ms off`)
}

const inMs = (seconds: number) => (1_000 * seconds).toFixed(1)

/** Less than a frame of anything. */
const CLOSE_SEC = 0.06

function checkPlayed({ failure, ranges, frames }: Played, seconds: number, row: Row, must: Must): void {
	row.played = failure ?? `${frames} frames`
	must(failure === null, `hls.js: ${failure}`)
	const from = ranges[0]?.[0] ?? Number.NaN
	const to = ranges.at(-1)?.[1] ?? Number.NaN
	must(from <= CLOSE_SEC && Math.abs(to - seconds) <= CLOSE_SEC, `played ${from} to ${to} of ${seconds} s`)
	for (const [k, [begin]] of ranges.entries())
		must(k === 0 || begin - (ranges[k - 1]?.[1] ?? 0) <= CLOSE_SEC, `did not play up to ${begin} s`)
}

function print(): void {
	const columns: [string, (row: Row) => string][] = [
		['input', ({ name }) => name],
		['ready s', ({ readySec }) => readySec.toFixed(1)],
		['rungs', ({ rungs }) => rungs],
		['frames', ({ frames }) => frames],
		['A/V begin ms', ({ begin }) => begin],
		['end ms', ({ end }) => end],
		['tones ms', ({ tones }) => tones],
		['SSIM', ({ ssim }) => ssim],
		['in the browser', ({ played }) => played],
		['', ({ problems }) => (problems.length === 0 ? 'well' : problems.join('; '))],
	]
	const cells = [columns.map(([title]) => title), ...rows.map((row) => columns.map(([, show]) => show(row)))]
	const widths = columns.map((_, k) => Math.max(...cells.map((line) => line[k]?.length ?? 0)))
	for (const line of cells)
		console.log(
			line
				.map((cell, k) => cell.padEnd(widths[k] ?? 0))
				.join('  ')
				.trimEnd(),
		)
	const wrong = rows.filter(({ problems }) => problems.length > 0).length
	console.log(`${rows.length} inputs, ${wrong} with problems`)
}
