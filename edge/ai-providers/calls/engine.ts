import type { TranscriptionProvider } from '#schema/contract/platform/settings/ai.ts'
import type { Deps } from '../../platform/deps.ts'
import type { OpenConfig } from '../clients/open-client.ts'
import { openKey } from '../settings/key-seal.ts'
import { aiSettingsStore } from '../settings/store.ts'

export type Engine = OpenConfig & {
	model: string | null
	language: string | null
	pricePerMinuteMicros: number | null
}

/** Returns the provider of the organization with its key, else the installation's. */
export async function findEngine(deps: Deps, orgId: string): Promise<Engine | null> {
	const row = await aiSettingsStore(deps.db).findEngine(orgId, 'transcription')
	if (row)
		return {
			...row,
			provider: row.provider as TranscriptionProvider,
			key: row.sealedKey === null ? null : await openKey(deps, row.sealedKey, row),
		}
	if (!deps.env.bindings.AI) return null
	return {
		...{ provider: 'workers-ai', baseUrl: null, key: null },
		...{ model: null, language: null, pricePerMinuteMicros: null },
	}
}
