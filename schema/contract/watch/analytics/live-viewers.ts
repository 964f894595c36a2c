import { z } from 'zod'
import { AssetId, data, Timestamp } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { streamLimit } from '../../video/transcoding.ts'

const operation = describeOperations('Analytics')
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
	summary: 'Get the number of live viewers of an asset',
	description:
		'A viewer appears with the first report of the player, and disappears when the page is closed, or after two and a half intervals without a report. The number is up to a second old, or about six seconds while a video has thousands of viewers. Sessions of organization members and of programs are not included.',
	auth: 'read',
	impersonation: 'read',
	params,
	response: data(LiveCount),
	errors: ['not_found', 'not_configured'],
})

export const streamLiveCount = operation({
	id: 'streamLiveCount',
	method: 'get',
	path: '/v1/assets/{assetId}/live-stream',
	summary: 'Stream the number of live viewers of an asset as server-sent events',
	description: `Sends an event \`live\` with a \`LiveCount\` at once, and again about two seconds after each change at the latest, or eight seconds while a video has thousands of viewers. A comment every 15 seconds keeps the connection open. The stream ends after some minutes, and when the session or key that opened it is no longer valid: reconnect with \`Last-Event-ID\`, and an unchanged number is not sent again. Send the credential as a header. ${streamLimit}`,
	auth: 'read',
	impersonation: 'read',
	params,
	answersWith: 'text/event-stream',
	errors: ['not_found', 'not_configured'],
})
