import * as contract from '#schema/contract/ai/transcripts.ts'
import { type Route, serve } from '../../http/route.ts'
import { getTranscript, replaceTranscript } from './transcripts.ts'

export const transcriptRoutes: Route[] = [
	serve(contract.getTranscript, async ({ deps, caller, params }) => ({
		data: { transcript: await getTranscript(deps, caller.org.id, params.assetId) },
	})),

	serve(contract.replaceTranscript, async ({ deps, caller, params, body }) => ({
		data: { transcript: await replaceTranscript(deps, caller.org.id, params.assetId, body.transcript) },
	})),
]
