import * as contract from '#schema/contract/community/member/streams.ts'
import { createStreamToken, readTopics } from '../../http/live-streams/stream-token.ts'
import { type Route, serve } from '../../http/route.ts'
import { openMemberStream, requireTopics } from './member-stream.ts'

export const streamRoutes: Route[] = [
	serve(contract.createStreamToken, async ({ deps, caller, body: { topics }, request }) => {
		await requireTopics(deps, caller, topics)
		const { communityId } = caller
		const stream = contract.streamCommunity
		const { token, expiresAt } = await createStreamToken(deps, stream, request, { topics, communityId })
		return { token, expires_at: expiresAt }
	}),

	serve(contract.streamCommunity, async ({ deps, caller, query, request, ip, isStillAdmitted }) => {
		const topics = readTopics(deps, 'topics', query.topics)
		const lastEventId = request.headers.get('last-event-id') ?? query.last_event_id ?? null
		return openMemberStream(deps, caller, { topics, lastEventId, address: ip }, isStillAdmitted)
	}),
]
