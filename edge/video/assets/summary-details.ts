import type { Deps } from '../../platform/deps.ts'
import type { AssetRow } from './store.ts'
import type { SummaryDetails } from './view.ts'

const UNKNOWN_LANGUAGE = 'und'

declare module '../../platform/deps.ts' {
	interface Contributions {
		/** Returns the views of videos of an organization; null without analytics. Injected, because analytics import this wing. */
		countViews: (
			deps: Pick<Deps, 'env'>,
			orgId: string,
			playbackIds: readonly string[],
		) => Promise<Record<string, number> | null>
	}
}

/** Reads the details of all rows in one statement and one call. The rows are of one organization. */
export async function findSummaryDetails(
	deps: Deps,
	rows: readonly AssetRow[],
): Promise<(row: AssetRow) => SummaryDetails> {
	const [first] = rows
	if (!first) return () => ({ progress: null, captions: [], views: null })
	const [states, views] = await Promise.all([
		deps.contributions.assetProcessing.summarize(
			deps,
			rows.map(({ id }) => id),
		),
		deps.contributions.countViews(
			deps,
			first.orgId,
			rows.map(({ playbackId }) => playbackId),
		),
	])
	return (row) => {
		const { progress, languages } = states.get(row.id) ?? { progress: null, languages: [] }
		const spoken = row.subtitlesKey === null ? [] : [row.transcriptLanguage ?? UNKNOWN_LANGUAGE]
		return {
			progress,
			captions: [...new Set([...spoken, ...languages])].toSorted(),
			views: views && (views[row.playbackId] ?? 0),
		}
	}
}
