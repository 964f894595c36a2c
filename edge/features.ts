import { type SQL, sql } from 'drizzle-orm'
import { allowedOriginsFeature } from './accounts/allowed-origins/feature.ts'
import { auditFeature } from './accounts/audit/feature.ts'
import { billingFeature } from './accounts/billing/feature.ts'
import { deviceFlowFeature } from './accounts/device-flow/feature.ts'
import { identityFeature } from './accounts/identity/feature.ts'
import { mailFeature } from './accounts/mail/feature.ts'
import { orgsFeature } from './accounts/orgs/feature.ts'
import { webhooksFeature } from './accounts/webhooks/feature.ts'
import { chaptersFeature } from './ai/chapters/feature.ts'
import { highlightsFeature } from './ai/highlights/feature.ts'
import { aiProvidersFeature } from './ai/providers/feature.ts'
import { aiFeature } from './ai/steps/feature.ts'
import { subtitlesFeature } from './ai/subtitles/feature.ts'
import { transcriptsFeature } from './ai/transcripts/feature.ts'
import { communityFeature } from './community/feature.ts'
import type { Authenticators } from './http/caller.ts'
import type { Consumers, Feature, Followers, MergedContribution } from './http/feature.ts'
import { accountDeletionFeature } from './operations/account-deletion/feature.ts'
import { adminFeature } from './operations/admin/feature.ts'
import { suspensionFeature } from './operations/admin/suspension/feature.ts'
import { backgroundFeature } from './operations/background/feature.ts'
import { backupsFeature } from './operations/backups/feature.ts'
import { rewindFeature } from './operations/backups/rewind/feature.ts'
import { browserReportsFeature } from './operations/diagnostics/browser-reports/feature.ts'
import { diagnosticsFeature } from './operations/diagnostics/feature.ts'
import { scheduledRuns } from './operations/diagnostics/metrics/runtime-metrics.ts'
import { documentsFeature } from './operations/documents/feature.ts'
import { secretRotationFeature } from './operations/secret-rotation/feature.ts'
import type { Db } from './platform/database/database.ts'
import type { Contributions } from './platform/deps.ts'
import type { Counter, Metric } from './platform/metrics/metric.ts'
import { joinPersonalData } from './platform/personal-data.ts'
import { collectSchedules } from './schedules.ts'
import { assetsFeature } from './video/assets/feature.ts'
import { bulkFeature } from './video/bulk/feature.ts'
import { collectionsFeature } from './video/collections/feature.ts'
import { directUploadsFeature } from './video/direct-uploads/feature.ts'
import { fleetFeature } from './video/fleet/feature.ts'
import { s3ApiFeature } from './video/s3-api/feature.ts'
import { savedViewsFeature } from './video/saved-views/feature.ts'
import { transcodingFeature } from './video/transcoding/feature.ts'
import { uploadsFeature } from './video/uploads/feature.ts'
import { analyticsFeature } from './watch/analytics/feature.ts'
import { playbackFeature } from './watch/playback/feature.ts'
import { playerFeature } from './watch/player/feature.ts'
import { settingsFeature } from './watch/settings/feature.ts'

/** All features. A missing one is not served or scheduled, and its personal data is not erased. */
export const features = [
	// First, so that after a restore no other task runs in this minute.
	rewindFeature,
	backgroundFeature,
	diagnosticsFeature,
	browserReportsFeature,
	identityFeature,
	orgsFeature,
	deviceFlowFeature,
	billingFeature,
	auditFeature,
	mailFeature,
	allowedOriginsFeature,
	settingsFeature,
	aiProvidersFeature,
	assetsFeature,
	uploadsFeature,
	transcodingFeature,
	bulkFeature,
	directUploadsFeature,
	collectionsFeature,
	savedViewsFeature,
	transcriptsFeature,
	subtitlesFeature,
	chaptersFeature,
	highlightsFeature,
	aiFeature,
	playbackFeature,
	analyticsFeature,
	playerFeature,
	communityFeature,
	webhooksFeature,
	fleetFeature,
	accountDeletionFeature,
	secretRotationFeature,
	backupsFeature,
	suspensionFeature,
	adminFeature,
	s3ApiFeature,
	documentsFeature,
] as const satisfies readonly Feature[]

type Listed = (typeof features)[number]
type NamesIn<Part extends keyof Feature> = Listed extends infer F
	? F extends { [P in Part]: infer Named }
		? keyof Named
		: never
	: never
type Complete<Missing> = [Missing] extends [never] ? true : { missing: Missing }

// A message without a consumer, an event without a follower or a gap in the authenticators doesn't compile.
true satisfies Complete<Exclude<keyof Consumers, NamesIn<'consumers'> | 'event.happened'>>
true satisfies Complete<Exclude<keyof Followers, NamesIn<'followers'>>>
true satisfies Complete<Exclude<keyof Authenticators, NamesIn<'authenticators'>>>
true satisfies Complete<Exclude<keyof Contributions, NamesIn<'contributions'> | MergedContribution>>

export function mergeAuthenticators(features: readonly Feature[]): Authenticators {
	return Object.assign({}, ...features.map(({ authenticators }) => authenticators))
}

/** Scheduled tasks are known only here, so that the run counter has a series for each from the start. */
function metricsOf(features: readonly Feature[]): Metric[] {
	const task = [...new Set(collectSchedules(features).map(({ name }) => name))]
	const runs: Counter = { ...scheduledRuns, labels: { ...scheduledRuns.labels, task } }
	const metrics: Metric[] = features.flatMap(({ metrics = [] }) => metrics)
	return metrics.map((metric) => (metric.name === runs.name ? runs : metric))
}

export function mergeContributions(features: readonly Feature[]): Contributions {
	return Object.assign(
		{
			personalData: joinPersonalData(features.map(({ personalData = {} }) => personalData)),
			metrics: metricsOf(features),
			deleteOfAssetStatements: (db: Db, assetId: string, condition: SQL) =>
				features.flatMap((feature) => feature.deleteOfAssetStatements?.(db, assetId, condition) ?? []),
			stopWorkOnAssetStatements: (db: Db, assetId: string, now: number, condition: SQL) =>
				features.flatMap((feature) => feature.stopWorkOnAssetStatements?.(db, assetId, now, condition) ?? []),
			isAssetBusy: (assetId: string) =>
				sql`(${sql.join(
					features.flatMap((feature) => feature.isAssetBusy?.(assetId) ?? []),
					sql` or `,
				)})`,
		},
		...features.map(({ contributions }) => contributions),
	)
}

export const contributions = mergeContributions(features)
