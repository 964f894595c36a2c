import { AssetStatus } from '#schema/contract/video/assets.ts'
import { SECOND } from '../../../platform/clock.ts'
import { formatSeriesName, type Gauge, type Labels, type Samples } from '../../../platform/metrics/metric.ts'
import type { Totals } from './totals.ts'

const measured = <const L extends Labels>(
	name: `playhouse_${string}`,
	help: string,
	labels: L,
): Gauge<L> => ({
	type: 'gauge',
	name,
	help: `${help}, measured each hour.`,
	labels,
	query: null,
})

const organizations = measured('playhouse_organizations', 'Organizations', {})
const users = measured('playhouse_users', 'Accounts of people', {})
const assets = measured('playhouse_assets', 'Videos and audio recordings', { status: AssetStatus.options })
const storage = measured(
	'playhouse_storage_bytes',
	'Stored bytes of sources and of the files made from them',
	{
		kind: ['source', 'media'],
	},
)
const duration = measured('playhouse_video_seconds', 'Length of all videos', {})
const measuredAt = measured('playhouse_totals_measured_timestamp_seconds', 'When the totals were counted', {})

export const totalsMetrics: readonly Gauge[] = [organizations, users, assets, storage, duration, measuredAt]

export function toTotalSamples(totals: Totals): Samples {
	const byStatus = Object.entries(totals.assets).map(([status, count]) => [
		formatSeriesName(assets.name, { status }),
		count,
	])
	return {
		[organizations.name]: totals.organizations,
		[users.name]: totals.users,
		...Object.fromEntries(byStatus),
		[formatSeriesName(storage.name, { kind: 'source' })]: totals.sourceBytes,
		[formatSeriesName(storage.name, { kind: 'media' })]: totals.mediaBytes,
		[duration.name]: totals.durationSec,
		[measuredAt.name]: totals.measuredAt / SECOND,
	}
}
