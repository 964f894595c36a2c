import type { AiStats } from '#schema/contract/operations/stats.ts'
import { SECOND } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { listChunkWaits } from '../../video/transcoding/speech/provider-chunks.ts'
import { readCallStats } from '../providers/calls/stats.ts'

const noCalls = {
	purpose: 'transcription',
	...{ calls24h: 0, open: 0, failures24h: 0, audioSec24h: 0, tokens24h: 0, costMicros24h: 0 },
	latencyMs: { p50: null, p95: null },
} as const

/** Reads each provider's work of the last 24 hours and its waiting work, including providers never called. */
export async function readAiStats(deps: Deps): Promise<AiStats> {
	const [{ providers, ...rest }, waits] = await Promise.all([readCallStats(deps), listChunkWaits(deps)])
	const ages = new Map(
		waits.map(({ provider, since }) => [provider, Math.max(0, (deps.now - since) / SECOND)]),
	)
	const called = new Set(
		providers.filter(({ purpose }) => purpose === 'transcription').map(({ provider }) => provider),
	)
	const uncalled = [...ages.keys()].filter((provider) => !called.has(provider))
	return {
		...rest,
		providers: [...providers, ...uncalled.map((provider) => ({ provider, ...noCalls }))].map((each) => ({
			...each,
			queueAgeSec: each.purpose === 'transcription' ? (ages.get(each.provider) ?? null) : null,
		})),
	}
}
