import type { Deps } from '../../../platform/deps.ts'
import type { PlayableRow } from '../../../video/assets/store.ts'
import type { Audience, SessionScope } from '../sessions/session.ts'
import type { Shard } from '../sessions/shards/shards.ts'
import { chooseCollectionLevel, classifyAudience, type Sender } from './viewer.ts'
import { markVisitor } from './visitor.ts'

export type MeasuredViewer = { audience: Audience; visitor: string | null; collected: 'full' | 'anonymous' }

/** Returns what may be stored about the viewer of a video; null if nothing may be. */
export async function measureViewer(
	deps: Deps,
	sender: Sender,
	{ orgId, org }: PlayableRow,
): Promise<MeasuredViewer | null> {
	const { headers } = sender.request
	const collected = chooseCollectionLevel(org.analytics, headers)
	if (collected === 'nothing') return null
	const visitor = collected === 'full' ? await markVisitor(deps, orgId, sender.ip, headers) : null
	return { audience: classifyAudience(sender, orgId), visitor, collected }
}

export function formatSessionScope(video: PlayableRow, shard: Shard): SessionScope {
	const { playbackId, id: assetId, orgId, durationSec, visibility } = video
	const durationMs = Math.round((durationSec ?? 0) * 1_000)
	return { playbackId, assetId, orgId, durationMs, isSigned: visibility === 'signed', shard }
}
