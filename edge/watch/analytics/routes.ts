import { getAssetAnalytics, getAssetAnalyticsCsv } from '#schema/contract/watch/analytics/asset-analytics.ts'
import {
	getLiveCount,
	streamLiveCount as streamLiveCountOp,
} from '#schema/contract/watch/analytics/live-viewers.ts'
import { getAnalyticsOverview, getAnalyticsOverviewCsv } from '#schema/contract/watch/analytics/overview.ts'
import { getPlaybackSession } from '#schema/contract/watch/analytics/playback-sessions.ts'
import { sendPlayerEvents } from '#schema/contract/watch/analytics/player-events.ts'
import { isLineBody } from '../../http/body/line-body.ts'
import { type Route, serve } from '../../http/route.ts'
import { toIso } from '../../platform/clock.ts'
import { formatAttachmentHeader } from '../../platform/network/header-values.ts'
import { readAssetAnalytics } from './answers/asset-analytics.ts'
import { readOverview } from './answers/overview.ts'
import { formatTableName, writeAssetTable, writeOverviewTable } from './answers/tables.ts'
import { ingestEvents } from './ingest/ingest.ts'
import { readLiveCount } from './live/live-count.ts'
import { streamLiveCount } from './live/live-stream.ts'
import { readTimelines } from './timelines/read-timelines.ts'

export const analyticsRoutes: Route[] = [
	serve(sendPlayerEvents, async ({ deps, caller, query, body, request, ip }) => ({
		data: await ingestEvents(deps, {
			events: body.events,
			isCmcd: isLineBody(sendPlayerEvents, request),
			viewerToken: body.viewerToken ?? query.token,
			caller,
			request,
			ip,
		}),
	})),

	serve(getAssetAnalytics, async ({ deps, caller, params, query }) => ({
		data: await readAssetAnalytics(deps, caller.org.id, params.assetId, query),
	})),

	serve(getAnalyticsOverview, async ({ deps, caller, query }) => ({
		data: await readOverview(deps, caller.org.id, query),
	})),

	serve(getAssetAnalyticsCsv, async ({ deps, caller, params, query }) => {
		const analytics = await readAssetAnalytics(deps, caller.org.id, params.assetId, query)
		return csvFile(formatTableName(params.assetId, analytics, query.of), writeAssetTable(analytics, query.of))
	}),

	serve(getAnalyticsOverviewCsv, async ({ deps, caller, query }) => {
		const overview = await readOverview(deps, caller.org.id, query)
		return csvFile(formatTableName('overview', overview, query.of), writeOverviewTable(overview, query.of))
	}),

	serve(getPlaybackSession, async ({ deps, caller, params }) => ({
		data: { sessions: await readTimelines(deps, caller.org.id, params.assetId, params.sessionId) },
	})),

	serve(getLiveCount, async ({ deps, caller, params }) => {
		const { viewers, at } = await readLiveCount(deps, caller.org.id, params.assetId)
		return { data: { viewers, at: toIso(at) } }
	}),

	serve(streamLiveCountOp, ({ deps, caller, params, request, isStillAdmitted }) =>
		streamLiveCount(
			deps,
			{
				orgId: caller.org.id,
				assetId: params.assetId,
				lastEventId: request.headers.get('last-event-id'),
			},
			isStillAdmitted,
		),
	),
]

const csvFile = (name: string, body: string): Response =>
	new Response(body, {
		headers: {
			'content-type': 'text/csv; charset=utf-8',
			'content-disposition': formatAttachmentHeader(name),
		},
	})
