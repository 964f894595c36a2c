/** @module-tag ffmpeg */

import { execFile } from 'node:child_process'
import { copyFile, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getPlayback } from '#schema/contract/watch/playback.ts'
import { validatePresentation } from '../../../scripts/operate/hls-validator/validate.ts'
import { openPlayer, type Played, type Player } from '../../edge/watch/playback/player.node.ts'
import { chromiumPath } from '../../support/shared/chromium.ts'
import { corpus, longCorpus } from '../../support/shared/corpus.ts'
import type { CorpusItem } from '../../support/shared/corpus-item.ts'
import { compareWithSource } from '../../transcoder-daemon/corpus/encoded.ts'
import { programs } from '../../transcoder-daemon/ffmpeg/programs.ts'
import { decodeSound, tonesIn } from '../../transcoder-daemon/tasks/tones.ts'
import { startCountdown } from './countdown.ts'
import { type Installation, startInstallation } from './one-command-installation.ts'
import { fetchPublished, type Published, type PublishedStream } from './published.ts'

/** npm run prove -- product-corpus runs all of them and real clips; `npm test` runs a few different ones. */
const isLong = process.env.PRODUCT_CORPUS === 'all'
const shortNames = ['ntsc-2997', 'many-tracks', 'transport-stream']
/** Played in a browser, too. */
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
const MIN_SSIM = 0.95

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
	...[...corpus, ...longCorpus].filter(({ name }) => isLong || shortNames.includes(name)).map(asInput),
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

let installation: Installation
let player: Player | undefined
let dir: string
const rows: Row[] = []
const printProgress = startCountdown(inputs.length)
beforeAll(async () => {
	installation = await startInstallation()
	dir = join(installation.folder, 'corpus')
	await mkdir(dir)
	if (chromiumPath) player = await openPlayer()
})
afterAll(async () => {
	await player?.[Symbol.asyncDispose]()
	await installation?.[Symbol.asyncDispose]()
	if (isLong) printTable()
})

test.each(inputs)(
	'publishes and plays $name completely and in sync',
	{ timeout: 3_600_000 },
	async (input) => {
		const row = await processInput(input)
		rows.push(row)
		const { name, readySec, problems } = row
		const verdict = problems.length === 0 ? 'ok' : problems.join('; ')
		if (isLong) printProgress(`${name.padEnd(16)} ready after ${readySec.toFixed(1)} s: ${verdict}`)
		expect(problems).toEqual([])
	},
)

async function processInput(input: Input): Promise<Row> {
	const { name, item } = input
	const path = join(dir, input.file)
	await input.make(programs.ffmpeg, path)
	const startedAt = performance.now()
	const { owner } = installation
	const asset = await owner.settled(await owner.process(path, name))
	const readySec = (performance.now() - startedAt) / 1_000
	const row: Row = {
		...{ name, readySec, rungs: '', frames: '', begin: '', end: '', tones: '', ssim: '', played: '' },
		problems: [],
	}
	const check = (isOk: boolean, problem: string) => void (isOk || row.problems.push(problem))
	check(asset.status === 'ready', `${asset.status}: ${asset.errorMessage}`)
	if (asset.status !== 'ready') return row
	row.rungs = asset.renditions.map(({ quality }) => quality).join(' ')

	const { params, query } = { params: { playbackId: asset.playbackId }, query: {} }
	const { manifestUrl } = (await owner.client().call(getPlayback, { params, query })).data
	const report = await validatePresentation(manifestUrl)
	for (const { rule, where, message, level } of report.findings)
		check(level !== 'MUST', `rule ${rule}, ${where}: ${message}`)

	const published = await fetchPublished(manifestUrl, dir)
	for (const { gaps, name: stream } of [...published.rungs, ...published.sounds])
		check(gaps === 0, `${stream}: ${gaps} gaps`)
	const fps = await frameRateOf(path, item)
	if (fps) await checkPictures(path, item, fps, published, row, check)
	checkSync(fps, published, row, check)
	if (item && (!item.video || item.isNumbered)) await checkTones(item, fps, published, row, check)
	if (player && (played.includes(name) || !isLong)) {
		const rate = asset.durationSec > 60 ? 8 : 1
		checkPlayed(await player.play(manifestUrl, { rate }), asset.durationSec, row, check)
	}
	return row
}

type Check = (isOk: boolean, problem: string) => void
type Rate = { num: number; den: number }

/** null without a video stream. */
async function frameRateOf(path: string, item: CorpusItem | null): Promise<Rate | null> {
	if (item) return item.video?.frameRate ?? null
	const entries = ['-select_streams', 'v:0', '-show_entries', 'stream=avg_frame_rate', '-of', 'csv=p=0', path]
	const { stdout } = await promisify(execFile)(programs.ffprobe, ['-v', 'error', ...entries])
	const [num = 0, den = 1] = stdout.trim().split('/').map(Number)
	return { num, den }
}

/** Each rendition must have the frames of a single encode of the source, in the same order. */
async function checkPictures(
	path: string,
	item: CorpusItem | null,
	fps: Rate,
	{ rungs }: Published,
	row: Row,
	check: Check,
): Promise<void> {
	check(rungs.length > 0, 'no rungs')
	if (rungs.length === 0) return
	const source = { path, fps, reference: item?.reference ?? 'null' }
	const compared = await compareWithSource(source, rungs, dir)
	const expected = compared.source.length
	row.frames = `${rungs.map(({ samples }) => samples).join(' ')} of ${expected}`
	for (const { samples, name } of rungs)
		check(samples === expected, `${name}: ${samples} frames, not ${expected}`)
	if (item) {
		const inOrder = item.isNumbered ? Array.from({ length: expected }, (_, n) => n) : compared.source
		for (const [index, { name }] of rungs.entries())
			check(
				`${compared.rungs[index]?.numbers}` === `${inOrder}`,
				`${name}: frames lost, duplicated or out of order`,
			)
	}
	const { ssim = 0 } = compared.rungs[0] ?? {}
	row.ssim = ssim.toFixed(3)
	check(ssim > MIN_SSIM, `${rungs[0]?.name}: SSIM ${row.ssim}`)
}

/** Compares start and end of audio and video, by the times in their segments. */
function checkSync(fps: Rate | null, { rungs, sounds }: Published, row: Row, check: Check): void {
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
		check(apart(at) <= frameSec, `audio and video ${at} ${row[column]} ms apart`)
	}
}

/** Tones must start at full seconds, with the frames of these times. */
async function checkTones(
	item: CorpusItem,
	fps: Rate | null,
	{ sounds }: Published,
	row: Row,
	check: Check,
): Promise<void> {
	const frameSec = fps ? fps.den / fps.num : 1 / 25
	let worst = 0
	for (const { path, name } of sounds) {
		const tones = tonesIn(await decodeSound(path, dir))
		const first = Math.ceil(item.audio[0]?.startSec ?? 0)
		const expected = Array.from({ length: item.seconds - first }, (_, k) => first + k)
		check(tones.length === expected.length, `${name}: ${tones.length} tones, not ${expected.length}`)
		worst = Math.max(worst, ...tones.map((tone, k) => Math.abs(tone - (expected[k] ?? 0))))
	}
	if (sounds.length > 0) row.tones = inMs(worst)
	check(worst <= frameSec, `a tone is ${inMs(worst)} ms off`)
}

const inMs = (seconds: number) => (1_000 * seconds).toFixed(1)

/** Shorter than a frame of the slowest source. */
const TOLERANCE_SEC = 0.06

function checkPlayed({ failure, ranges, frames }: Played, seconds: number, row: Row, check: Check): void {
	row.played = failure ?? `${frames} frames`
	check(failure === null, `hls.js: ${failure}`)
	const from = ranges[0]?.[0] ?? Number.NaN
	const to = ranges.at(-1)?.[1] ?? Number.NaN
	check(
		from <= TOLERANCE_SEC && Math.abs(to - seconds) <= TOLERANCE_SEC,
		`played ${from} to ${to} of ${seconds} s`,
	)
	for (const [k, [begin]] of ranges.entries())
		check(k === 0 || begin - (ranges[k - 1]?.[1] ?? 0) <= TOLERANCE_SEC, `did not play up to ${begin} s`)
}

function printTable(): void {
	const columns: [string, (row: Row) => string][] = [
		['input', ({ name }) => name],
		['ready s', ({ readySec }) => readySec.toFixed(1)],
		['rungs', ({ rungs }) => rungs],
		['frames', ({ frames }) => frames],
		['A/V start ms', ({ begin }) => begin],
		['end ms', ({ end }) => end],
		['tones ms', ({ tones }) => tones],
		['SSIM', ({ ssim }) => ssim],
		['in the browser', ({ played }) => played],
		['', ({ problems }) => (problems.length === 0 ? 'ok' : problems.join('; '))],
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
	const failed = rows.filter(({ problems }) => problems.length > 0).length
	console.log(`${rows.length} inputs, ${failed} with problems`)
}
