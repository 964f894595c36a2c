import type { z } from 'zod'
import type { SupportBundle } from '#schema/contract/operations/installation/support-bundle.ts'
import document from '#schema/openapi.json' with { type: 'json' }
import { readAiStats } from '../../../ai/steps/stats.ts'
import { toIso } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import type { Samples } from '../../../platform/metrics/metric.ts'
import { findMetrics } from '../../../platform/metrics/metrics-stub.ts'
import { foldMessage } from '../../../video/assets/errors/error-fingerprint.ts'
import { OFFLINE_AFTER_MS } from '../../../video/fleet/machines.ts'
import type { MachineRow } from '../../../video/fleet/store.ts'
import { listNewestBackups } from '../../backups/newest.ts'
import { failedStatuses, requestsAnswered } from '../metrics/runtime-metrics.ts'
import { readPart } from '../part.ts'
import { findTotals, viewTotals } from '../totals/totals.ts'
import { redact } from './redact.ts'
import { readNewest } from './store.ts'
import { listBindingNames, listSecretValues, viewVariables } from './variables.ts'

const MAX_OPERATIONS = 20
const MAX_BACKUPS = 20

type Bundle = z.input<typeof SupportBundle>

/** Returns what a mail to support needs. A part that can't be read is null and hides no other. */
export async function collectSupportBundle(deps: Deps): Promise<Bundle> {
	const { bindings } = deps.env
	const [newest, backups, ai, totals, counts] = await Promise.all([
		readPart(deps, 'newest problems', () => readNewest(deps.db)),
		readPart(deps, 'newest backups', () => listNewestBackups(deps, MAX_BACKUPS)),
		readPart(deps, 'statistics of AI', () => readAiStats(deps)),
		readPart(deps, 'totals', () => findTotals(deps)),
		readPart(deps, 'counters', async () => (await findMetrics(deps.env)?.counts()) ?? null),
	])
	const found = {
		totals: totals && viewTotals(totals),
		machines: newest?.machines.map((machine) => viewMachine(machine, deps.now)) ?? null,
		ai,
		backups,
		assetErrors: newest?.assetErrors.map(viewErrorGroup) ?? null,
		taskFailures: newest?.taskFailures.map(withTime) ?? null,
		failedRequests: counts && failedRequestsIn(counts),
	}
	const { assetErrors, taskFailures, ...redacted } = redact(found, listSecretValues(bindings))
	return {
		createdAt: toIso(deps.now),
		version: document.info.version,
		variables: viewVariables(bindings),
		bindings: listBindingNames(bindings),
		// Not redacted, because these texts contain only the program's own words.
		deadLetters: newest?.deadLetters.map(withTime) ?? null,
		...redacted,
		// Folded last, or parts of a secret would no longer be recognized.
		assetErrors: assetErrors?.map(withFoldedMessage) ?? null,
		taskFailures: taskFailures?.map(withFoldedMessage) ?? null,
	}
}

const withTime = <T extends { createdAt: number }>({ createdAt, ...rest }: T) => ({
	...rest,
	createdAt: toIso(createdAt),
})

const withFoldedMessage = <T extends { message: string }>(problem: T): T => ({
	...problem,
	message: foldMessage(problem.message),
})

const viewErrorGroup = ({
	lastSeenAt,
	...error
}: {
	message: string
	occurrences: number
	lastSeenAt: number
}) => ({
	...error,
	lastSeenAt: toIso(lastSeenAt),
})

/** Leaves out the name, which is often that of a person or of a host. */
const viewMachine = (
	{ id, state, pausedAt, evictedAt, capabilities, lastSeenAt }: MachineRow,
	now: number,
) => ({
	id,
	state: now - lastSeenAt > OFFLINE_AFTER_MS ? ('offline' as const) : state,
	paused: pausedAt !== null,
	evicted: evictedAt !== null,
	capabilities,
	lastSeenAt: toIso(lastSeenAt),
})

/** Returns the operations that failed most often. */
function failedRequestsIn(counts: Samples) {
	const failed = Object.entries(counts).filter(
		([series]) =>
			series.startsWith(`${requestsAnswered.name}{`) &&
			failedStatuses.some((status) => series.includes(`status="${status}"`)),
	)
	const byOperation = Map.groupBy(failed, ([series]) => /operation="([^"]*)"/.exec(series)?.[1] ?? 'none')
	return [...byOperation]
		.map(([operation, own]) => ({ operation, count: own.reduce((total, [, count]) => total + count, 0) }))
		.toSorted((a, b) => b.count - a.count)
		.slice(0, MAX_OPERATIONS)
}
