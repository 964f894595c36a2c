import { z } from 'zod'
import { describeOperations } from '../kit/operation.ts'

const operation = describeOperations('AI')

export const MAX_CALLBACK_BYTES = 10_000_000

export const receiveAiCallback = operation({
	id: 'receiveAiCallback',
	method: 'post',
	path: '/v1/ai/whisper-callback',
	summary: 'Receive the result of a transcription from an asynchronous provider',
	description:
		"Names its call in `call`. Signed as in Standard Webhooks with the secret of that call, over the raw body, at most five minutes ago: `{callId, epoch, status, language?, duration?, text?, segments?, words?, error?}`, where `status` is `progress`, `completed` or `failed`, and times are in seconds. Providers that can't sign have a capability in their address instead. Returns 202 for a new delivery, and 200 without any effect for one that is known or no longer needed (`ignored`).",
	auth: 'public',
	audit: 'none: work',
	idempotencyKey: { needless: 'each `webhook-id` counts once' },
	shield: 'public-write',
	query: z.object({
		call: z.string().max(100).optional().meta({ description: 'The id of the call' }),
		cap: z.string().max(200).optional().meta({ description: "The capability of a provider that can't sign" }),
	}),
	takesBytes: { type: 'application/json', maxBytes: MAX_CALLBACK_BYTES },
	status: 202,
	statusIfExists: 200,
	response: z.object({ ignored: z.boolean() }).meta({ id: 'AiCallbackReceipt' }),
	errors: ['unauthorized', 'not_found', 'not_configured'],
})
