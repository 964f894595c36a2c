import { z } from 'zod'
import { AssetId, data, Timestamp } from '../../kit/fields.ts'
import { operation } from '../../kit/operation.ts'

const tag = 'Analytics'
const params = z.object({ assetId: AssetId })

export const LiveCount = z
	.object({
		viewers: z.int().meta({
			description: 'Playback sessions that play the video now, or were paused less than five minutes ago',
		}),
		at: Timestamp,
	})
	.meta({ id: 'LiveCount' })
export type LiveCount = z.infer<typeof LiveCount>

export const getLiveCount = operation({
	id: 'getLiveCount',
	method: 'get',
	path: '/v1/assets/{assetId}/live-count',
	tag,
	summary: 'Get how many people watch an asset now',
	description:
		'A viewer appears with the first report of the player, and disappears when the page is closed, or after two and a half intervals without a report. Views by members of the organization and by programs are not included.',
	auth: 'read',
	params,
	status: 200,
	response: data(LiveCount),
	errors: ['not_found', 'not_configured'],
})

export const streamLiveCount = operation({
	id: 'streamLiveCount',
	method: 'get',
	path: '/v1/assets/{assetId}/live-stream',
	tag,
	summary: 'Stream how many people watch an asset as server-sent events',
	description:
		'Sends an event `live` with a `LiveCount` at once, and again when the number changed, at most two seconds after the change. A comment every 15 seconds keeps the connection open. The stream ends after some minutes, and when the session or key that opened it is no longer valid: reconnect with `Last-Event-ID`, and an unchanged number is not sent again. Send the credential as a header.',
	auth: 'read',
	params,
	status: 200,
	answersWith: 'text/event-stream',
	errors: ['not_found', 'not_configured'],
})
