import * as contract from '#schema/contract/ai/transcripts.ts'
import { readIfMatch, setEntityTag } from '../../http/entity-tag.ts'
import { type Route, serve } from '../../http/route.ts'
import { getTranscript, readTranscriptState, replaceTranscript } from './transcripts.ts'

export const transcriptRoutes: Route[] = [
	serve(contract.getTranscript, async ({ deps, caller, params, headers }) => {
		const stored = await getTranscript(deps, caller.org.id, params.assetId)
		await setEntityTag(headers, readTranscriptState(stored))
		return { data: { transcript: stored.transcript } }
	}),

	serve(contract.replaceTranscript, async ({ deps, caller, params, body, request, headers }) => {
		const tags = readIfMatch(contract.replaceTranscript, request)
		const stored = await replaceTranscript(deps, caller.org.id, params.assetId, body.transcript, tags)
		await setEntityTag(headers, readTranscriptState(stored))
		return { data: { transcript: stored.transcript } }
	}),
]
