import { computeMedian, computePercentile } from '../lib/statistics.ts'
import type { Contestant } from './baselines.ts'
import type { Click, Profile, Visit } from './visit.ts'

/** The visits of one round. */
export type Turn = ReadonlyMap<Contestant, Visit>
type Row = { title: string; click: Click; value: (visit: Visit) => number; digits?: number }

const kB = (bytes: number) => bytes / 1_000

const rows: Row[] = [
	{
		title: 'page answered by the server (not throttled), ms',
		click: 'early',
		value: ({ answeredMs }) => answeredMs,
	},
	{ title: 'play button works, ms', click: 'early', value: ({ buttonMs }) => buttonMs },
	{
		title: 'early click to first frame, ms',
		click: 'early',
		value: ({ clickMs, frameMs }) => frameMs - clickMs,
	},
	{ title: 'navigation to first frame, early click, ms', click: 'early', value: ({ frameMs }) => frameMs },
	{ title: 'height of that frame', click: 'early', value: ({ frameHeight }) => frameHeight },
	...(['touch', 'hover'] as const).flatMap((click): Row[] => [
		{ title: `${click} to first frame, ms`, click, value: ({ clickMs, frameMs }) => frameMs - clickMs },
		{ title: '  height of that frame', click, value: ({ frameHeight }) => frameHeight },
		{ title: '  kB before the click', click, value: ({ bytesBeforeClick }) => kB(bytesBeforeClick) },
		{ title: '  of them media', click, value: ({ mediaBytesBeforeClick }) => kB(mediaBytesBeforeClick) },
	]),
	{ title: 'LCP, ms', click: 'hover', value: ({ lcpMs }) => lcpMs },
	{ title: 'CLS', click: 'hover', value: ({ cls }) => cls, digits: 3 },
	{
		title: 'requests before the first segment',
		click: 'early',
		value: ({ requestsBeforeSegment }) => requestsBeforeSegment,
	},
	{
		title: '  of them playlists',
		click: 'early',
		value: ({ playlistsBeforeSegment }) => playlistsBeforeSegment,
	},
	{ title: 'JavaScript, kB as transferred', click: 'early', value: ({ scriptBytes }) => kB(scriptBytes) },
]

/** Prints medians with quartiles, and the ratio of ours to each baseline within the same round. */
export function printReport(
	profile: Profile,
	contestants: readonly Contestant[],
	visits: Record<Click, Turn[]>,
): void {
	const { latencyMs, downMbps, upMbps } = profile
	console.log(
		`${profile.name}: ${downMbps} Mb/s down, ${upMbps} up, ${latencyMs} ms; medians of ${visits.early.length} (quartiles)\n`,
	)
	const baselines = contestants.filter((contestant) => contestant !== 'playhouse')
	const header = ['', ...contestants, ...baselines.map((baseline) => `ours / ${baseline}`)]
	const lines = rows.map(({ title, click, value, digits = 0 }) => {
		const turns = visits[click]
		const valuesOf = (contestant: Contestant) =>
			turns.map((turn) => turn.get(contestant)).map((visit) => (visit ? value(visit) : Number.NaN))
		const ours = valuesOf('playhouse')
		const ratios = (baseline: Contestant) => valuesOf(baseline).map((theirs, at) => (ours[at] ?? 0) / theirs)
		return [
			title,
			...contestants.map((contestant) => summary(valuesOf(contestant), digits)),
			...baselines.map((baseline) => summary(ratios(baseline).filter(Number.isFinite), 2)),
		]
	})
	printTable([header, ...lines])
}

function summary(values: readonly number[], digits: number): string {
	if (values.length === 0) return '-'
	const text = (value: number) => value.toFixed(digits)
	const [low, middle, high] = [
		computePercentile(values, 0.25),
		computeMedian(values),
		computePercentile(values, 0.75),
	].map(text)
	return low === high ? `${middle}` : `${middle} (${low}-${high})`
}

function printTable(lines: readonly (readonly string[])[]): void {
	const widths =
		lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? []
	for (const line of lines)
		console.log(
			line
				.map((text, column) => text.padEnd(widths[column] ?? 0))
				.join('  ')
				.trimEnd(),
		)
}
