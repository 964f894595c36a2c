import { iso } from '../../../platform/clock.ts'
import type { Totals } from './totals.ts'

export const viewTotals = ({ measuredAt, organizations, users, assets, ...sums }: Totals) => ({
	measuredAt: iso(measuredAt),
	organizations,
	users,
	assets: { total: Object.values(assets).reduce((total, count) => total + count, 0), byStatus: assets },
	storage: { sourceBytes: sums.sourceBytes, mediaBytes: sums.mediaBytes },
	videoMinutes: sums.durationSec / 60,
})
