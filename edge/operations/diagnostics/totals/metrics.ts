import { AssetStatus } from '#schema/contract/video/assets.ts'
import { SECOND } from '../../../platform/clock.ts'
import type { MeasuredRow } from '../../../platform/metrics/measures.ts'
import type { Gauge, Labels, Samples } from '../../../platform/metrics/metric.ts'
import { sampleGauge } from '../metrics/exposition.ts'
import type { Totals } from './totals.ts'

const measured = <const L extends Labels>(
	name: `playhouse_${string}`,
	help: string,
	labels: L,
	rows: (totals: Totals) => MeasuredRow<L>[],
) => ({
	...({ type: 'gauge', name, help: `${help}, measured each hour.`, labels, query: null } satisfies Gauge),
	rows,
})

export const totalsMetrics = [
	measured('playhouse_organizations', 'Organizations', {}, (totals) => [{ value: totals.organizations }]),
	measured('playhouse_users', 'Accounts of people', {}, ({ users: value }) => [{ value }]),
	measured('playhouse_assets', 'Videos and audio recordings', { status: AssetStatus.options }, ({ assets }) =>
		AssetStatus.options.map((status) => ({ status, value: assets[status] })),
	),
	measured(
		'playhouse_storage_bytes',
		'Stored bytes of sources and of the files made from them, the trash included',
		{ kind: ['source', 'media'] },
		({ sourceBytes, mediaBytes }) => [
			{ kind: 'source', value: sourceBytes },
			{ kind: 'media', value: mediaBytes },
		],
	),
	measured('playhouse_video_seconds', 'Length of all videos', {}, (totals) => [
		{ value: totals.durationSec },
	]),
	measured(
		'playhouse_totals_measured_timestamp_seconds',
		'When the totals were counted',
		{},
		({ measuredAt }) => [{ value: measuredAt / SECOND }],
	),
] as const

export const sampleTotals = (totals: Totals): Samples =>
	Object.assign({}, ...totalsMetrics.map((gauge) => sampleGauge(gauge, gauge.rows(totals), 0)))
