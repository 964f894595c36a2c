import { accountDeletionFeature } from './account-deletion/feature.ts'
import { adminFeature } from './admin/feature.ts'
import { aiFeature } from './ai/feature.ts'
import { aiProvidersFeature } from './ai-providers/feature.ts'
import { analyticsFeature } from './analytics/feature.ts'
import { assetsFeature } from './assets/feature.ts'
import { auditFeature } from './audit/feature.ts'
import { backgroundFeature } from './background/feature.ts'
import { backupsFeature } from './backups/feature.ts'
import { billingFeature } from './billing/feature.ts'
import { browserReportsFeature } from './browser-reports/feature.ts'
import { chaptersFeature } from './chapters/feature.ts'
import { collectionsFeature } from './collections/feature.ts'
import { communityFeature } from './community/feature.ts'
import { deviceFlowFeature } from './device-flow/feature.ts'
import { diagnosticsFeature } from './diagnostics/feature.ts'
import { scheduledRuns } from './diagnostics/metrics/runtime-metrics.ts'
import { documentsFeature } from './documents/feature.ts'
import { fleetFeature } from './fleet/feature.ts'
import { highlightsFeature } from './highlights/feature.ts'
import type { Authenticators } from './http/caller.ts'
import type { Consumers, Feature, Followers } from './http/feature.ts'
import { identityFeature } from './identity/feature.ts'
import { mailFeature } from './mail/feature.ts'
import { orgsFeature } from './orgs/feature.ts'
import type { Contributions } from './platform/deps.ts'
import type { Counter, Metric } from './platform/metrics/metric.ts'
import { joinPersonalData } from './platform/personal-data.ts'
import { playbackFeature } from './playback/feature.ts'
import { playerFeature } from './player/feature.ts'
import { rewindFeature } from './rewind/feature.ts'
import { s3ApiFeature } from './s3-api/feature.ts'
import { schedulesOf } from './schedules.ts'
import { secretRotationFeature } from './secret-rotation/feature.ts'
import { settingsFeature } from './settings/feature.ts'
import { subtitlesFeature } from './subtitles/feature.ts'
import { suspensionFeature } from './suspension/feature.ts'
import { transcodingFeature } from './transcoding/feature.ts'
import { transcriptsFeature } from './transcripts/feature.ts'
import { uploadsFeature } from './uploads/feature.ts'
import { webhooksFeature } from './webhooks/feature.ts'

/** All features. One that is missing here is not served or scheduled, and its personal data is not erased. */
export const features = [
	// First, so that a minute that finds a restored database does nothing else.
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
	settingsFeature,
	aiProvidersFeature,
	assetsFeature,
	uploadsFeature,
	transcodingFeature,
	collectionsFeature,
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
true satisfies Complete<Exclude<keyof Contributions, NamesIn<'contributions'> | 'personalData' | 'metrics'>>

export function authenticatorsOf(features: readonly Feature[]): Authenticators {
	return Object.assign({}, ...features.map(({ authenticators }) => authenticators))
}

/** The names of all scheduled tasks are known here, so that the counter of their runs has a series for each from the start. */
function metricsOf(features: readonly Feature[]): Metric[] {
	const task = [...new Set(schedulesOf(features).map(({ name }) => name))]
	const runs: Counter = { ...scheduledRuns, labels: { ...scheduledRuns.labels, task } }
	const metrics: Metric[] = features.flatMap(({ metrics = [] }) => metrics)
	return metrics.map((metric) => (metric.name === runs.name ? runs : metric))
}

export function contributionsOf(features: readonly Feature[]): Contributions {
	return Object.assign(
		{
			personalData: joinPersonalData(features.map(({ personalData = {} }) => personalData)),
			metrics: metricsOf(features),
		},
		...features.map(({ contributions }) => contributions),
	)
}

export const contributions = contributionsOf(features)
