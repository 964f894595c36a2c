import type { z } from 'zod'
import type { AssetStatus } from '#schema/contract/video/assets.ts'
import type { AssetTimeline } from '#schema/contract/video/processing/timeline.ts'
import { SECOND, toIsoOrNull } from '../../../platform/clock.ts'
import type { Span } from './span.ts'
import type { Timeline } from './timeline.ts'

export const viewTimeline = (
	assetId: string,
	status: AssetStatus,
	{ spans, ...timeline }: Timeline,
): z.input<typeof AssetTimeline> => ({ assetId, status, ...timeline, spans: spans.map(viewSpan) })

const viewSpan = ({ startedAt, endedAt, ...span }: Span) => ({
	...span,
	startedAt: toIsoOrNull(startedAt),
	endedAt: toIsoOrNull(endedAt),
	durationSec: startedAt === null || endedAt === null ? null : Math.max(0, endedAt - startedAt) / SECOND,
})
